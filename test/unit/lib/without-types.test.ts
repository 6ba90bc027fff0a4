import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '..', '..', '..');
const source = 'export const one: number = 1;\n';
const stripped = "process.moduleLoadList.some((name) => name.includes('amaro'))";
/** Prints the code without types, and whether the runtime's stripper of types was loaded. */
const program = `
  const { stripTypes } = await import(process.env.MODULE);
  const code = stripTypes(process.env.FILE);
  console.log(JSON.stringify({ code, stripped: ${stripped} }));
`;
/** Prints what the file exports or why it could not be imported, and whether the stripper was loaded. */
const importing = `
  const { registerStripTypesHook } = await import(process.env.MODULE);
  registerStripTypesHook();
  const imported = await import(process.env.FILE).catch(({ code, message }) => ({ code, message }));
  console.log(JSON.stringify({ ...imported, stripped: ${stripped} }));
`;

let folder: string;
let module: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'without-types-'));
  module = join(folder, 'lib', 'tuning', 'strip-types.js');
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  cpSync(join(root, 'lib', 'tuning', 'strip-types.js'), module);
  writeFileSync(join(folder, 'one.ts'), source);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** In a process of its own, with a copy of the module, and so a cache of its own. */
async function run(text = program): Promise<Record<string, unknown>> {
  const env = { MODULE: module, FILE: join(folder, 'one.ts') };
  const node = join(root, 'node_modules', '.bin', 'node');
  const { stdout } = await promisify(execFile)(node, ['--input-type=module', '--eval', text], { env });
  return JSON.parse(stdout);
}

const expected = 'export const one         = 1;\n';

function keptFiles(): string[] {
  const cache = join(folder, 'node_modules', '.cache', 'without-types', process.version);
  return readdirSync(cache).map((name) => join(cache, name));
}

test('types are removed once, and anew when the file has changed', async () => {
  expect(await run()).toEqual({ code: expected, stripped: true });
  expect(await run()).toEqual({ code: expected, stripped: false });
  writeFileSync(join(folder, 'one.ts'), 'export const two: number = 2;\n');
  expect(await run()).toEqual({ code: 'export const two         = 2;\n', stripped: true });
});

test.each([
  ['is empty', () => ''],
  ['has lost its end', (text: string) => text.slice(0, -5)],
  ['has other code', (text: string) => text.replace('one', 'six')],
])('a kept file that %s is not used', async (_what, damage) => {
  await run();
  const [kept = ''] = keptFiles();
  writeFileSync(kept, damage(readFileSync(kept, 'utf8')));
  expect(await run()).toEqual({ code: expected, stripped: true });
  expect(await run()).toEqual({ code: expected, stripped: false });
});

test('where nothing can be kept they are removed each time', async () => {
  await run();
  const [kept = ''] = keptFiles();
  rmSync(kept);
  // A folder in the file's place, for what may write wherever it likes.
  mkdirSync(join(kept, 'in-the-way'), { recursive: true });
  expect(await run()).toEqual({ code: expected, stripped: true });
  expect(await run()).toEqual({ code: expected, stripped: true });
});

test('modules are imported from the cache, and anew when their file has changed', async () => {
  expect(await run(importing)).toEqual({ one: 1, stripped: true });
  expect(await run(importing)).toEqual({ one: 1, stripped: false });
  writeFileSync(join(folder, 'one.ts'), 'export const one: number = 2;\n');
  expect(await run(importing)).toEqual({ one: 2, stripped: true });
});

test('of a module that has more than types to take out, the runtime says so', async () => {
  writeFileSync(join(folder, 'one.ts'), 'export enum One { First }\n');
  const { code, message } = await run(importing);
  expect(code).toBe('ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX');
  expect(message).toMatch(/enum/);
});
