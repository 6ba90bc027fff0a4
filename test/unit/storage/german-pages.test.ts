import { expect, test } from '@jest/globals';
import type { Language } from '../../../lib/format/language.ts';
import { emptyForm, readChoices } from '../../../services/storage/pages/bucket-form.ts';
import { formatCount, formatSize } from '../../../web/numbers.ts';
import { runInPageContext } from '../../../web/page-context.ts';

const inLanguage = <T>(language: Language, work: () => T): T => runInPageContext({ language, theme: null }, work);

test.each([
  ['en', '1 byte', '0 bytes', '1.25 MB', '12,345'],
  ['de', '1\u00a0Byte', '0\u00a0Byte', '1,25\u00a0MB', '12.345'],
] as const)('sizes and counts are written by the language: %s', (language, one, none, size, count) => {
  expect(inLanguage(language, () => [1, 0, 1_250_000].map(formatSize))).toEqual([one, none, size]);
  expect(inLanguage(language, () => formatCount(12_345))).toBe(count);
});

test.each([
  ['en', '0.5', 500_000],
  ['en', '0,5', null],
  ['de', '0,5', 500_000],
  ['de', '20', 20_000_000],
  // Fifteen hundred in German, and not one and a half.
  ['de', '1.500', null],
] as const)('the largest file is read by the language: %s %s', (language, typed, bytes) => {
  const { values, errors } = inLanguage(language, () => readChoices({ ...emptyForm, maxObjectBytes: typed }));
  expect(errors.maxObjectBytes === undefined ? values.maxObjectBytes : null).toBe(bytes);
});
