import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '..', '..');
const copy = mkdtempSync(join(tmpdir(), 'new-files-'));

/** Runs a program of the packages in the copy, and gives what it printed; throws with it when the program fails. */
function run(program: string, ...args: string[]): string {
  const bin = join(root, 'node_modules', '.bin');
  const { SHARED_PLATFORM: _shared, ...inherited } = process.env;
  const env = { ...inherited, PATH: `${bin}:${inherited.PATH}` };
  try {
    return execFileSync(join(bin, program), args, { cwd: copy, env, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${program} ${args.join(' ')}\n${stdout}\n${stderr}`);
  }
}

const create = (...names: string[]): string[] =>
  run('node', 'scripts/new.ts', ...names)
    .split('\n\n')[0]!
    .split('\n');

let created: string[];
beforeAll(() => {
  const tracked = execFileSync('git', ['ls-files', '-coz', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  for (const file of tracked.split('\0').filter((name) => name !== '')) {
    mkdirSync(join(copy, dirname(file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  for (const folder of ['node_modules', 'sdk/node_modules'].filter((one) => existsSync(join(root, one)))) {
    symlinkSync(join(root, folder), join(copy, folder));
  }
  created = [
    ...create('service', 'loyalty', 'gift-card'),
    ...create('endpoint', 'loyalty', 'reward'),
    ...create('endpoint', 'mail', 'digest'),
    ...create('endpoint', 'identity', 'badge'),
    ...create('page', 'mail', 'digest-list'),
    ...create('command', 'mail', 'count-digests'),
  ];
  run('node', 'scripts/generate.ts');
  run('biome', 'check', '--write', ...created);
  // Some tests of the house read the list of its files.
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
  ])
    execFileSync('git', args, { cwd: copy, stdio: 'pipe' });
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

test('what npm run new writes has its types', () => {
  expect(run('tsc', '--noEmit')).toBe('');
}, 300_000);

test('what npm run new writes passes its tests, and those of the house', () => {
  const flags = ['--no-compilation-cache', '--disable-warning=ExperimentalWarning', '--experimental-vm-modules'];
  const house = ['architecture', 'generated', 'permissions-declared', 'named-schemas', 'openapi', 'web/texts', 'words'];
  const paths = [
    ...created.filter((file) => file.endsWith('.test.ts')),
    ...house.map((name) => `test/unit/(.*/)?${name}.test.ts`),
    'test/integration/identity/isolation.test.ts',
  ];
  const projects = ['--selectProjects', 'unit', 'integration', 'web'];
  run('node', ...flags, 'node_modules/jest/bin/jest.js', '-w', '2', ...projects, '--', ...paths);
}, 600_000);

test('a name that is taken and a service that is absent are refused, and nothing is written', () => {
  const text = readFileSync(join(copy, 'services/mail/mail.service.ts'), 'utf8');
  expect(() => create('endpoint', 'mail', 'digest')).toThrow('services/mail/digests.ts exists already.');
  expect(() => create('page', 'absent', 'list')).toThrow('There is no service absent.');
  expect(() => create('service', 'Loyalty', 'x')).toThrow('Usage: npm run new');
  expect(readFileSync(join(copy, 'services/mail/mail.service.ts'), 'utf8')).toBe(text);
});
