import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { allVariables, exampleEnvironment } from '../../../runtime/command-line.ts';
import { startNode } from '../../support/platform.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const run = promisify(execFile);
const variables = await allVariables();
const names = Object.keys(variables);

describe('the settings', () => {
  test('stand in .env.example as the schema describes them', () => {
    expect(readFileSync(join(root, '.env.example'), 'utf8')).toBe(exampleEnvironment(variables));
  });

  test('are the variables that a process on Deno may read, and no others', () => {
    const { permissions } = JSON.parse(readFileSync(join(root, 'deno.json'), 'utf8'));
    expect(permissions.default.env.allow).toEqual(names);
  });

  test('let a process on Deno start the Deno of every platform, which transforms images', () => {
    const { permissions } = JSON.parse(readFileSync(join(root, 'deno.json'), 'utf8'));
    const deno = JSON.parse(readFileSync(join(root, 'node_modules/deno/package.json'), 'utf8'));
    const programs = Object.keys(deno.optionalDependencies).map(
      (name) => `./node_modules/${name}/${name.includes('win32') ? 'deno.exe' : 'deno'}`,
    );
    expect(programs).toHaveLength(6);
    expect(permissions.default.run).toEqual(expect.arrayContaining(programs));
  });

  test('are listed by --help with what they are and an example', async () => {
    const { stdout } = await run(process.execPath, ['runtime/start.js', '--help'], { cwd: root });
    const flat = stdout.replace(/\s+/g, ' ');
    const listed = Object.entries(variables).filter(([name, { about, example }]) =>
      flat.includes(` ${name} ${about} Example: ${example}`),
    );
    expect(listed.map(([name]) => name)).toEqual(names);
  });
});

describe('a start', () => {
  test('ends at once with sentences that name variable, problem and example, also of a service', async () => {
    const node = startNode({ env: { TAX_RATE: '8,875', INVOICE_PREFIX: 'acme', TELEGRAM_URL: 'ftp://telegram' } });
    expect(await node.exited).toBe(1);
    expect(node.output()).toMatch(
      /^INVOICE_PREFIX must .*\nTAX_RATE must .*; for example TAX_RATE=19\nTELEGRAM_URL must .*\n$/,
    );
  });

  test('shows no secret that is wrong', async () => {
    const node = startNode({ env: { SECRET_KEY: 'pa55word', MONGO_URL: 'mongodb+srv//admin:pa55word@db' } });
    expect(await node.exited).toBe(1);
    expect(node.output()).toMatch(/^MONGO_URL .*\nSECRET_KEY /);
    expect(node.output()).not.toContain('pa55word');
  });

  test('with an unknown service or option ends with a sentence', async () => {
    const unknown = startNode({ services: ['gateway', 'bakery'] });
    expect(await unknown.exited).toBe(1);
    expect(unknown.output()).toMatch(/^There is no service bakery\. There are: gateway, .*\.\n$/);
    const console = startNode({ services: ['--console'] });
    expect(await console.exited).toBe(1);
    expect(console.output()).toBe("--console needs a terminal. Without one, run a command with -c 'command'.\n");
    const json = startNode({ services: ['--json'] });
    expect(await json.exited).toBe(1);
    expect(json.output()).toBe('--json and --yes need -c with a command. See --help.\n');
    const option = startNode({ services: ['--verbose'] });
    expect(await option.exited).toBe(1);
    expect(option.output()).toMatch(/'--verbose'.* See --help\.\n$/);
  });
});
