import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { languageOf, languages, preferredLanguage } from '../../../lib/format/language.ts';

test.each([
  ['de', 'de'],
  ['de-AT', 'de'],
  ['DE-ch;q=0.8, fr', 'de'],
  ['fr-FR, fr;q=0.9, de;q=0.7, en;q=0.8', 'en'],
  ['en;q=0, de;q=0.1', 'de'],
  ['en-US,en;q=0.9,de;q=0.8', 'en'],
  ['fr, es', null],
  ['*', null],
  ['de;q=x', null],
  ['', null],
  [undefined, null],
])('Accept-Language %j asks for %j', (header, language) => {
  expect(preferredLanguage(header)).toBe(language);
});

test('any header is read', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (header) => {
      expect([null, ...languages]).toContain(preferredLanguage(header));
    }),
  );
  expect(preferredLanguage(`${'fr,'.repeat(100_000)}de`)).toBe(null);
});

test('a language is read from a cookie', () => {
  expect(['en', 'de', 'fr', 'DE', '', undefined].map(languageOf)).toEqual(['en', 'de', null, null, null, null]);
});
