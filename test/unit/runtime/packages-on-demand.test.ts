import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '..', '..', '..');

/** What the lines print last as JSON, after the hooks of a start, in a process of its own. */
async function afterHooks(lines: string): Promise<unknown> {
  const program = `
    import { createRequire } from 'node:module';
    import { types } from 'node:util';
    const { installModuleHooks } = await import('./runtime/service-modules.ts');
    installModuleHooks();
    const require = createRequire(process.cwd() + '/package.json');
    const from = (...names) => names.reduce((by, name) => createRequire(by.resolve(name)), require);
    const isLoaded = (by, name) => !types.isProxy(by.cache[by.resolve(name)].exports);
    ${lines}
  `;
  const node = join(root, 'node_modules', '.bin', 'node');
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(node, flags, { cwd: root });
  return JSON.parse(stdout.trim().split('\n').at(-1) as string);
}

const driver = `from('mongoose', 'mongodb')`;
const addresses = `from('mongoose', 'mongodb', 'mongodb-connection-string-url', 'whatwg-url')`;

test('a gateway, metrics and a connection to a database load none of them', async () => {
  const loaded = await afterHooks(`
    const { ServiceBroker } = await import('./lib/tuning/lazy-modules.ts');
    const { siteService } = await import('./http/site-service.ts');
    const { default: mongoose } = await import('mongoose');
    const { collectDefaultMetrics, register } = await import('prom-client');
    const broker = new ServiceBroker({ logger: false });
    const place = { host: '127.0.0.1', port: 0, setting: 'PORT' };
    broker.createService({ name: 'site', ...siteService({ own: {}, place }) });
    collectDefaultMetrics();
    await register.metrics();
    const options = { serverSelectionTimeoutMS: 1 };
    await mongoose.createConnection('mongodb://localhost:1/test', options).asPromise().catch(() => {});
    await broker.stop();
    const pairs = [
      [${driver}, '@mongodb-js/saslprep'], [${addresses}, 'tr46'], [from('moleculer'), 'args'], [from('moleculer'), 'glob'],
      [from('moleculer-web'), 'qs'], [from('moleculer-web'), 'body-parser'], [from('moleculer-web'), 'serve-static'],
      [from('prom-client'), '@opentelemetry/api'],
    ];
    console.log(JSON.stringify(pairs.filter(([by, name]) => isLoaded(by, name)).map(([, name]) => name)));
    process.exit();
  `);
  expect(loaded).toEqual([]);
});

test.each([
  ['a function of its exports', driver, '@mongodb-js/saslprep', `it.saslprep('I\\u00adX')`, 'IX'],
  [
    'a function of a module that others require',
    addresses,
    'tr46',
    `it.toASCII('b\\u00fccher.example')`,
    'xn--bcher-kva.example',
  ],
  ['exports that are a function', `from('moleculer-web')`, 'serve-static', `typeof it('.')`, 'function'],
  ['a function of a function', `from('moleculer-web')`, 'body-parser', `typeof it.json()`, 'function'],
  ['an object', `from('prom-client')`, '@opentelemetry/api', `it.trace.getSpan(it.context.active()) ?? null`, null],
  ['the names of all', `from('moleculer-web')`, 'qs', `Object.keys({ ...it })`, ['formats', 'parse', 'stringify']],
  ['whether it has a name', `from('moleculer-web')`, 'qs', `['parse' in it, 'none' in it]`, [true, false]],
])('one is loaded when it is used: %s', async (_, by, name, use, expected) => {
  const printed = await afterHooks(`
    const by = ${by};
    const it = by('${name}');
    const before = isLoaded(by, '${name}');
    const result = ${use};
    console.log(JSON.stringify([before, result, isLoaded(by, '${name}')]));
  `);
  expect(printed).toEqual([false, expected, true]);
});

test('a function that Moleculer takes when it is loaded works, as do names that a service imports', async () => {
  const printed = await afterHooks(`
    const { globSync } = from('moleculer')('glob');
    const { parse, default: all } = await import('qs');
    console.log(JSON.stringify([globSync('package.json'), parse('one=1'), all.stringify({ two: 2 })]));
  `);
  expect(printed).toEqual([['package.json'], { one: '1' }, 'two=2']);
});

test('zod has its messages in English, and those in other languages where they are imported', async () => {
  const printed = await afterHooks(`
    const { z } = await import('zod');
    const message = () => z.string().safeParse(1).error.issues[0].message;
    const english = message();
    const { de } = await import('zod/locales');
    z.config(de());
    console.log(JSON.stringify([Object.keys(z.locales), english, message()]));
  `);
  const english = 'Invalid input: expected string, received number';
  expect(printed).toEqual([['default'], english, expect.stringMatching(/^Ungültige Eingabe/)]);
});
