import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { slugPattern, suggestSlug } from '../../../services/identity/organizations.ts';
import { anyCodePoint } from '../../support/code-points.ts';

test.each([
  ['Acme Bikes', 'acme-bikes'],
  ['  Café Zoë & Co. ', 'cafe-zoe-co'],
  ['Ⅻ Ｗｉｄｅ', 'xii-wide'],
  ['株式会社', ''],
  ['--- ---', ''],
  [`${'a'.repeat(62)} b`, 'a'.repeat(62)],
])('a slug of %j is %j', (name, slug) => {
  expect(suggestSlug(name)).toBe(slug);
});

test('a slug of any name is valid or empty', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCodePoint, maxLength: 100 }), (name) => {
      const slug = suggestSlug(name);
      expect(slug === '' || slugPattern.test(slug)).toBe(true);
    }),
  );
});
