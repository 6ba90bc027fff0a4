import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findMoney, findOrderWorth, nameItems, totalNames } from '../../../services/context/story/amounts.ts';
import { addMoney, emptyTotals, formatMoney, formatTotals, parseMinor } from '../../../services/context/story/money.ts';

test.each([
  [49.9, 'EUR', 4990n],
  ['49.90', 'EUR', 4990n],
  ['1,299.00', 'USD', 129900n],
  [1.005, 'EUR', 101n],
  [0.1 + 0.2, 'EUR', 30n],
  ['-20', 'EUR', -2000n],
  [3000, 'JPY', 3000n],
  ['3000.5', 'JPY', 3001n],
  ['1.2345', 'KWD', 1235n],
  ['1.2345', 'CLF', 12345n],
  ['7', 'XYZ', 700n],
  ['7', '', 700n],
  ['999999999999999', 'EUR', 99999999999999900n],
])('%j %s is %s minor units', (value, currency, minor) => {
  expect(parseMinor(value, currency)).toBe(minor);
});

test.each([
  1e21,
  1e-7,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  '',
  'free',
  '49,90',
  '€5',
  '0x10',
  '1e3',
  '1 000',
  null,
  true,
  {},
  '1'.repeat(16),
])('%j is no amount', (value) => {
  expect(parseMinor(value, 'EUR')).toBeUndefined();
});

test.each([
  [{ amount: 5, currency: 'eur' }, '5.00 EUR'],
  [{ total: '5', currencyCode: 'GBP' }, '5.00 GBP'],
  [{ totalAmount: { amount: '5.5', currency: 'USD' } }, '5.50 USD'],
  [{ total_amount: { value: 5, currency_code: 'USD' } }, '5.00 USD'],
  [{ amount: -5, currency: 'EUR' }, '5.00 EUR'],
  [{ amount: 5 }, '5.00 in an unstated currency'],
  [{ amount: 5, currency: { toString: 1 } }, '5.00 in an unstated currency'],
  [{ amount: 1234567.5, currency: 'CHF' }, '1,234,567.50 CHF'],
])('%j reads as %s', (payload, text) => {
  const money = findMoney([payload], totalNames);
  expect(money && formatMoney(money)).toBe(text);
});

test('an order without a total is worth its items, and nothing certain when one has no price', () => {
  const items = [
    { price: 9.99, quantity: 3, name: 'Mug' },
    { unitPrice: '0.03', name: 'Bag' },
  ];
  const worth = findOrderWorth([{ currency: 'EUR', items }]);
  expect(worth).toEqual({ currency: 'EUR', minor: '3000' });
  expect(findOrderWorth([{ currency: 'EUR', items: [...items, { name: 'Gift' }] }])).toBeNull();
  expect(nameItems([{ items }], 40)).toBe('Mug and 1 more');
});

test('sums do not drift, and say what they leave out', () => {
  const sum = Array.from({ length: 1000 }, () => ({ currency: 'EUR', minor: '10' })).reduce(addMoney, emptyTotals());
  expect(formatTotals(sum)).toBe('100.00 EUR');
  const currencies = Array.from({ length: 20 }, (_, index) => ({
    currency: `AA${String.fromCharCode(65 + index)}`,
    minor: '100',
  }));
  const many = currencies.reduce(addMoney, emptyTotals());
  expect(many.amounts.length).toBe(12);
  expect(formatTotals(many)).toBe('1.00 AAA, 1.00 AAB, 1.00 AAC and amounts in other currencies');
});

test('minor units survive formatting and parsing', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 17n), fc.constantFrom('EUR', 'JPY', 'KWD', 'CLF'), (minor, currency) => {
      const [amount] = formatMoney({ currency, minor: String(minor) }).split(' ');
      fc.pre(String(amount).replace(/\..*|,/g, '').length <= 15);
      expect(parseMinor(amount, currency)).toBe(minor);
    }),
  );
});
