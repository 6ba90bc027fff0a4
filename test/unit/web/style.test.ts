import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { styleSheets } from '../../../web/style.ts';

const folder = join(import.meta.dirname, '../../../web/style');

test('every file of styles is in exactly one style sheet', () => {
  const sheets = styleSheets.map(({ bytes }) => bytes.toString());
  const wrong = readdirSync(folder).filter((name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    return sheets.filter((sheet) => sheet.includes(text)).length !== 1;
  });
  expect(wrong).toEqual([]);
});
