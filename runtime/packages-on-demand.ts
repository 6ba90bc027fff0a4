import module, { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * A package that is a dependency of other packages, and that a node does not use or uses rarely. `via` is the chain of
 * packages that leads to it; `taken` are its functions that the last package in the chain reads on load.
 */
type SeldomUsed = { name: string; via: string[]; taken?: string[] };

const seldomUsed: SeldomUsed[] = [
  // Tables for passwords of a database, 2 MiB.
  { name: '@mongodb-js/saslprep', via: ['mongoose', 'mongodb'] },
  // Tables for host names outside ASCII. The hosts of database URLs are not parsed with them.
  { name: 'tr46', via: ['mongoose', 'mongodb', 'mongodb-connection-string-url', 'whatwg-url'] },
  // Moleculer's command-line runner, and its search for services by a pattern.
  { name: 'args', via: ['moleculer'] },
  { name: 'glob', via: ['moleculer'], taken: ['globSync'] },
  // The platform parses queries and bodies and serves files itself.
  { name: 'qs', via: ['moleculer-web'] },
  { name: 'body-parser', via: ['moleculer-web'] },
  { name: 'serve-static', via: ['moleculer-web'] },
  // Trace exemplars of metrics.
  { name: '@opentelemetry/api', via: ['prom-client'] },
];

/** Makes these packages load lazily, on first use. Call it before the packages that depend on them are loaded. */
export function loadPackagesOnDemand(): void {
  for (const { name, via, taken = [] } of seldomUsed) {
    let require = createRequire(import.meta.url);
    for (const dependent of via) require = createRequire(require.resolve(dependent));
    const path = require.resolve(name);
    const load = () => {
      if (require.cache[path] === standIn) delete require.cache[path];
      return require(path);
    };
    const standIn = Object.assign(new module(path), { filename: path, loaded: true, exports: onDemand(load, taken) });
    require.cache[path] = standIn;
  }
}

type Exports = Record<string | symbol, unknown> & ((...given: unknown[]) => unknown);

function onDemand(load: () => Exports, taken: string[]): object {
  const forward = (name: string | symbol, given: unknown[]) => (load()[name] as Exports)(...given);
  return new Proxy(() => undefined, {
    apply: (_, receiver, given) => Reflect.apply(load(), receiver, given),
    get: (_, name) => (taken.includes(String(name)) ? (...given: unknown[]) => forward(name, given) : load()[name]),
    has: (_, name) => Reflect.has(load(), name),
    // Read by a named import.
    ownKeys: () => Reflect.ownKeys(load()),
    getOwnPropertyDescriptor(_, name) {
      const own = Reflect.getOwnPropertyDescriptor(load(), name);
      return own && { ...own, configurable: true };
    },
  });
}

const zod = pathToFileURL(dirname(createRequire(import.meta.url).resolve('zod'))).href;

/**
 * The replacement of a module that the platform's zod imports: of its messages in fifty languages only the English ones
 * are loaded. Services import the others from `zod/locales`.
 */
export function inPlaceOf(specifier: string, parentURL: string): string | null {
  const isLocales = specifier === '../locales/index.js' && parentURL.startsWith(`${zod}/v4/`);
  return isLocales ? new URL('../locales/en.js', parentURL).href : null;
}
