import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { trackedFiles } from '../support/tracked-files.ts';

const root = join(import.meta.dirname, '..', '..');
const copy = mkdtempSync(join(tmpdir(), 'new-files-'));

/** Runs a program in the copy, and gives what it printed; throws with it when the program fails. */
function run(program: string, ...args: string[]): string {
  const { SHARED_PLATFORM: _shared, ...inherited } = process.env;
  const env = { ...inherited, PATH: `${join(root, 'node_modules', '.bin')}:${inherited.PATH}` };
  try {
    return execFileSync(program, args, { cwd: copy, env, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${program} ${args.join(' ')}\n${stdout}\n${stderr}`);
  }
}

const created: string[] = [];
/** The commands that are printed to run the tests. */
const commands: string[] = [];

function create(...names: string[]): void {
  const [files = '', next = ''] = run('node', 'scripts/new.ts', ...names).split('\n\n');
  created.push(...files.split('\n'));
  commands.push(...[...next.matchAll(/npm run test\S* -- .*/g)].map(([command]) => command));
}

beforeAll(() => {
  for (const file of trackedFiles()) {
    mkdirSync(join(copy, dirname(file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  for (const folder of ['node_modules', 'sdk/node_modules'].filter((one) => existsSync(join(root, one)))) {
    symlinkSync(join(root, folder), join(copy, folder));
  }
  create('service', 'loyalty', 'gift-card');
  create('endpoint', 'loyalty', 'reward');
  create('endpoint', 'mail', 'digest');
  create('endpoint', 'identity', 'badge');
  create('page', 'mail', 'digest-list');
  create('command', 'mail', 'count-digests');
  run('npm', 'run', 'generate');
  run('biome', 'check', '--write', ...created);
  // Some tests of the house read the list of its files.
  run('git', 'init', '-q');
  run('git', 'add', '-A');
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

test('what npm run new writes has its types', () => {
  expect(run('tsc', '--noEmit')).toBe('');
}, 300_000);

test('each test runs alone by the command that is printed', () => {
  const tests = created.filter((file) => file.endsWith('.test.ts'));
  const listed = commands.map((command) => run('npm', ...command.split(' ').slice(1), '--listTests'));
  expect(listed.map((text) => text.match(/^\/.*\.test\.ts$/gm))).toEqual(tests.map((file) => [join(copy, file)]));
});

test('what npm run new writes passes its tests, and those of the house', () => {
  const house = ['architecture', 'generated', 'permissions-declared', 'named-schemas', 'openapi', 'web/texts', 'words'];
  const ofHouse = [...house.map((name) => `test/unit/(.*/)?${name}.test`), 'test/integration/identity/isolation.test'];
  for (const script of ['test', 'test:browser']) {
    run('npm', 'run', script, '--', '-w', '2', '--testPathPatterns', ...created, ...ofHouse);
  }
}, 600_000);

test('a name that is taken and a service that is absent are refused, and nothing is written', () => {
  const text = readFileSync(join(copy, 'services/mail/mail.service.ts'), 'utf8');
  expect(() => create('endpoint', 'mail', 'digest')).toThrow('services/mail/digests.ts exists already.');
  expect(() => create('page', 'absent', 'list')).toThrow('There is no service absent.');
  expect(() => create('service', 'Loyalty', 'x')).toThrow('Usage: npm run new');
  expect(readFileSync(join(copy, 'services/mail/mail.service.ts'), 'utf8')).toBe(text);
});
