import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { generatedFiles } from '../../scripts/generate.ts';

const root = join(import.meta.dirname, '..', '..');
const files = await generatedFiles();

test.each([...files.keys()])('%s is as npm run generate writes it', (file) => {
  expect(readFileSync(join(root, file), 'utf8')).toBe(files.get(file));
});

test('the actions of every service are among the typed calls', () => {
  const calls = [...files].filter(([file]) => file.endsWith('/calls.ts'));
  expect(calls.length).toBeGreaterThanOrEqual(8);
  for (const [, text] of calls) expect(text).toMatch(/typeof import\('\.\//);
  expect(files.get('services/identity/calls.ts')).toContain(
    "'identity.contacts.create': typeof import('./contacts.ts').createContact;",
  );
});
