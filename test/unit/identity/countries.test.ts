import { describe, expect, test } from '@jest/globals';
import { countries } from '../../../services/identity/addresses.ts';

describe('the country codes', () => {
  test('are the 249 of ISO 3166-1, each of which has a name', () => {
    const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
    expect(countries.size).toBe(249);
    expect([...countries].filter((code) => !names.of(code))).toEqual([]);
  });

  test.each(['', 'XX', 'ZZ', 'EU', 'UK', 'DD', 'XK', 'de'])('do not include %j', (code) => {
    expect(countries.has(code)).toBe(false);
  });
});
