import { expect, test } from '@jest/globals';
import { countries } from '../../../../gateway/pages/account/countries.ts';
import { countries as accepted } from '../../../../services/identity/addresses/countries.ts';

test('the page of addresses offers exactly the countries that an address may have', () => {
  expect(countries.map(([code]) => code).sort()).toEqual([...accepted].sort());
});
