import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { currencies, currencyDigits, formatMoney, formatPrice, sumOf, toDecimal } from '../../../lib/format/money.ts';

const anyCurrency = fc.constantFrom(...currencies);
const plain = (text: string): string => text.replaceAll('\u00a0', ' ');

describe('a currency', () => {
  test.each([
    ['jpy', 0],
    ['isk', 0],
    ['huf', 2],
    ['twd', 2],
    ['eur', 2],
    ['kwd', 3],
    ['clf', 4],
    ['uyw', 4],
  ])('%s has %d decimals', (currency, digits) => expect(currencyDigits(currency)).toBe(digits));

  test('has 0, 2, 3 or 4 decimals', () => {
    const counts = Map.groupBy(currencies, currencyDigits);
    expect([...counts.keys()].sort()).toEqual([0, 2, 3, 4]);
    expect(currencies.length).toBe(new Set(currencies).size);
    expect(currencies.every((code) => /^[a-z]{3}$/.test(code))).toBe(true);
  });

  test.each(['EUR', 'euro', 'xau', 'xxx', '', 'constructor', '__proto__', 'hrk'])('is not %j', (code) => {
    expect(() => currencyDigits(code)).toThrow(RangeError);
    expect(() => formatMoney(1, code)).toThrow('is not a currency');
  });
});

describe('an amount for people', () => {
  test.each([
    [1234, 'eur', 'EUR 12.34'],
    [0, 'usd', 'USD 0.00'],
    [5, 'usd', 'USD 0.05'],
    [-5, 'usd', '-USD 0.05'],
    [123456789, 'jpy', 'JPY 123,456,789'],
    [1000, 'huf', 'HUF 10.00'],
    [1000, 'isk', 'ISK 1,000'],
    [1234567, 'kwd', 'KWD 1,234.567'],
    [1234567, 'clf', 'CLF 123.4567'],
    [Number.MAX_SAFE_INTEGER, 'eur', 'EUR 90,071,992,547,409.91'],
    [123456789012345678901234567890n, 'eur', 'EUR 1,234,567,890,123,456,789,012,345,678.90'],
  ])('%s of %s is %s', (amount, currency, text) => expect(plain(formatMoney(amount, currency))).toBe(text));

  test('follows the language asked for', () => {
    expect(plain(formatMoney(123456, 'eur', 'de'))).toBe('1.234,56 EUR');
  });

  test('keeps every digit, in any currency and at any size', () => {
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 40n), 10n ** 40n), anyCurrency, (amount, currency) => {
        const digits = formatMoney(amount, currency).replace(/[^\d]/g, '').replace(/^0+/, '');
        expect(digits).toBe(amount === 0n ? '' : String(amount < 0n ? -amount : amount));
      }),
    );
  });

  test.each([0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('is never made of %d', (amount) => {
    expect(() => formatMoney(amount, 'eur')).toThrow(RangeError);
    expect(() => toDecimal(amount, 'eur')).toThrow(RangeError);
  });
});

test.each([
  [1250, 'eur', '12.50'],
  [-5, 'usd', '-0.05'],
  [0, 'jpy', '0'],
  [1, 'kwd', '0.001'],
  [12345, 'clf', '1.2345'],
])('%d of %s is the decimal number %s', (amount, currency, text) => expect(toDecimal(amount, currency)).toBe(text));

test('a decimal number says the amount it was made of', () => {
  fc.assert(
    fc.property(fc.bigInt(), anyCurrency, (amount, currency) => {
      const text = toDecimal(amount, currency);
      expect(text).toMatch(/^-?(0|[1-9]\d*)(\.\d+)?$/);
      expect((text.split('.')[1] ?? '').length).toBe(currencyDigits(currency));
      expect(BigInt(text.replace('.', ''))).toBe(amount);
    }),
  );
});

test('a sum is exact or refused', () => {
  expect(sumOf([])).toBe(0);
  expect(sumOf([1, -3, 7])).toBe(5);
  expect(() => sumOf([Number.MAX_SAFE_INTEGER, 1])).toThrow(RangeError);
  expect(() => sumOf([0.1, 0.2])).toThrow(RangeError);
});

test.each([
  [4900, 'eur', '€49'],
  [4950, 'eur', '€49.50'],
  [299_000, 'usd', '$2,990'],
  [1200, 'jpy', '¥1,200'],
])('%d of %s is the price %s', (amount, currency, text) => expect(formatPrice(amount, currency)).toBe(text));
