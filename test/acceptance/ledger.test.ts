import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ledger, type Row } from './ledger.ts';

type Config = { projects: { displayName: string; testMatch: string[] }[] };

const root = join(import.meta.dirname, '..', '..');
const files = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.test.ts') && name !== 'ledger.test.ts')
  .sort();
const tests = files.map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'));
const covered = tests.flatMap((text) =>
  [...text.matchAll(/^covers(?:WithinOneDay)?\('([^']+)'/gm)].map((match) => match[1]!),
);
const rows = Object.entries<Row>(ledger);

describe('the ledger', () => {
  test('has exactly one test for each row that is not proven elsewhere', () => {
    const here = rows.filter(([, row]) => !row.proven).map(([id]) => id);
    expect(covered.toSorted()).toEqual(here.toSorted());
  });

  test('is shown on a pool too, with nodes on Deno', async () => {
    const { default: config } = (await import(join(root, 'jest.config.js'))) as { default: Config };
    const deno = config.projects.find(({ displayName }) => displayName === 'deno');
    expect(deno?.testMatch).toContain('<rootDir>/test/acceptance/**/*.test.ts');
  });

  test('names no operation twice', () => {
    const routes = rows.flatMap(([, { route }]) => route ?? []);
    expect(new Set(routes).size).toBe(routes.length);
  });

  test.each(rows.filter(([, row]) => row.proven))('says truly where %s is proven', (_id, { proven }) => {
    expect(existsSync(join(root, proven!))).toBe(true);
  });
});
