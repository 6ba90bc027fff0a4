import { expect, test } from '@jest/globals';
import { countries as accepted } from '../../../../services/identity/addresses.ts';
import { countries, countryName } from '../../../../services/identity/pages/account/addresses.ts';

test('the page of addresses offers exactly the countries that an address may have, by their names', () => {
  expect(
    countries()
      .map(([code]) => code)
      .sort(),
  ).toEqual([...accepted].sort());
  expect(countries().filter(([code, name]) => name === code)).toEqual([]);
  expect(countries().slice(0, 3)).toEqual([
    ['AF', 'Afghanistan'],
    ['AX', 'Åland Islands'],
    ['AL', 'Albania'],
  ]);
});

test('what is no country is shown by its code', () => {
  expect(countryName('DE')).toBe('Germany');
  expect(countryName('EU')).toBe('EU');
  expect(countryName('?')).toBe('?');
});
