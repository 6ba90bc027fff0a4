import { expect, test } from '@jest/globals';
import { countries as accepted } from '../../../../services/identity/addresses/countries.ts';
import { countries } from '../../../../services/identity/pages/account/countries.ts';

test('the page of addresses offers exactly the countries that an address may have', () => {
  expect(countries.map(([code]) => code).sort()).toEqual([...accepted].sort());
});
