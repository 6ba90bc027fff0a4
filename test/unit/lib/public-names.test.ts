import { describe, expect, test } from '@jest/globals';
import { holdsBrand, personName, publicName, withoutLinks } from '../../../lib/format/public-names.ts';

describe('a name that strangers read', () => {
  test.each([
    ...['https://evil.example', 'Visit evil.example now', 'www.evil', 'EVIL.COM', 'ann@evil.example', 'javascript://x'],
    ...['пример.рф', 'Acme.io'],
  ])('holds no address: %s', (name) => {
    expect(publicName(100).safeParse(name).success).toBe(false);
    expect(publicName(100).safeParse(withoutLinks(`To ${name}`)).success).toBe(true);
  });

  test.each(['Acme Bikes', 'St. Gallen', 'Müller & Co.KG', 'J. R. R. Tolkien', 'A/B: 1.5 km', 'Yahoo!', 'S.p.A.'])(
    'may be %s',
    (name) => {
      expect(publicName(100).parse(name)).toBe(name);
      expect(personName(100).safeParse(name).success).toBe(true);
    },
  );

  test.each(['Blue Mugs', 'BLUE MUGS Support', 'blue-mugs', 'Вlue Mugs', 'B l u e M u g s', 'B1ue Mug5', 'Ｂlue Mugs'])(
    'is not that of the platform: %s',
    (name) => expect(holdsBrand(name, 'Blue Mugs')).toBe(true),
  );

  test.each(['Blue', 'Mugs', 'Bluest Mugs', 'Mugs Blue'])('may have other words than it: %s', (name) => {
    expect(holdsBrand(name, 'Blue Mugs')).toBe(false);
  });

  test('that is an email address is left as it is', () =>
    expect(withoutLinks('ada@example.com')).toBe('ada@example.com'));
});
