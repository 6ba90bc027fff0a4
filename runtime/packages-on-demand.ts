import module, { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * A package that others load when they are loaded, and of which a node uses nothing or seldom something. `via` are the
 * packages from which one leads to the next and the last to it; `taken` are its functions that the last takes at once.
 */
type SeldomUsed = { name: string; via: string[]; taken?: string[] };

const seldomUsed: SeldomUsed[] = [
  // Tables for passwords of a database, 2 MiB.
  { name: '@mongodb-js/saslprep', via: ['mongoose', 'mongodb'] },
  // Tables for the names of hosts outside ASCII. The addresses of databases have a scheme whose hosts are not looked at.
  { name: 'tr46', via: ['mongoose', 'mongodb', 'mongodb-connection-string-url', 'whatwg-url'] },
  // What starts a node from Moleculer's own command line, and what finds services by a pattern.
  { name: 'args', via: ['moleculer'] },
  { name: 'glob', via: ['moleculer'], taken: ['globSync'] },
  // The platform reads queries and bodies and serves files itself.
  { name: 'qs', via: ['moleculer-web'] },
  { name: 'body-parser', via: ['moleculer-web'] },
  { name: 'serve-static', via: ['moleculer-web'] },
  // Examples of traces beside metrics.
  { name: '@opentelemetry/api', via: ['prom-client'] },
];

/** Has these packages loaded when something of them is first used. Call it before those that depend on them are loaded. */
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
    // What an import by name asks.
    ownKeys: () => Reflect.ownKeys(load()),
    getOwnPropertyDescriptor(_, name) {
      const own = Reflect.getOwnPropertyDescriptor(load(), name);
      return own && { ...own, configurable: true };
    },
  });
}

const zod = pathToFileURL(dirname(createRequire(import.meta.url).resolve('zod'))).href;

/**
 * The module in the place of one that the platform's zod imports: of its messages in fifty languages it loads the English
 * ones. Services import the others from `zod/locales`.
 */
export function inPlaceOf(specifier: string, parentURL: string): string | null {
  const isLocales = specifier === '../locales/index.js' && parentURL.startsWith(`${zod}/v4/`);
  return isLocales ? new URL('../locales/en.js', parentURL).href : null;
}
