import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findMoney, findOrderWorth, nameItems } from '../../../services/context/story/amounts.ts';
import { addMoney, emptyTotals, formatMoney, worthOf } from '../../../services/context/story/money.ts';
import { parseAmount } from '../../../services/context/story/notation.ts';
import { sourcesFor } from '../../../services/context/story/payload.ts';
import { totalsOf, worthOf as writeWorth } from '../../../services/context/story/render/en/words.ts';

const nbsp = '\u00a0';
const narrow = '\u202f';

test.each([
  [49.9, 'EUR', '4990 EUR'],
  ['49.90', 'EUR', '4990 EUR'],
  ['1,299.00', 'USD', '129900 USD'],
  [1.005, 'EUR', '101 EUR'],
  [1.234, 'EUR', '123 EUR'],
  [0.1 + 0.2, 'EUR', '30 EUR'],
  ['-20', 'EUR', '-2000 EUR'],
  ['7', 'XYZ', '700 XYZ'],
  ['7', '', '700 '],
  ['999999999999999', 'EUR', '99999999999999900 EUR'],
  // Currencies with other exponents.
  [3000, 'JPY', '3000 JPY'],
  ['3000.5', 'JPY', '3001 JPY'],
  ['1.234', 'JPY', '1234 JPY'],
  ['1.2345', 'KWD', '1235 KWD'],
  ['1.234', 'KWD', '1234 KWD'],
  ['1.2345', 'CLF', '12345 CLF'],
  // Signs and codes.
  ['$1,299.00', 'USD', '129900 USD'],
  ['$1,299.00', '', '129900 $'],
  ['$10', 'AUD', '1000 AUD'],
  ['US$ 5', '', '500 USD'],
  ['€5', '', '500 EUR'],
  ['5 EUR', '', '500 EUR'],
  ['eur 5', '', '500 EUR'],
  ['12,50 zł', 'PLN', '1250 PLN'],
  ['R$ 1.234,50', '', '123450 BRL'],
  ['500 kr', 'SEK', '50000 SEK'],
  ['500 kr', '', '50000 kr'],
  ['￥1,200', 'JPY', '1200 JPY'],
  ['¥1,200', '', '120000 ¥'],
  // Separators.
  ['1.234,50', 'EUR', '123450 EUR'],
  [`1 234,50 €`, '', '123450 EUR'],
  [`1${nbsp}234,50${narrow}€`, 'EUR', '123450 EUR'],
  ['49,90', 'EUR', '4990 EUR'],
  ['1,234', 'EUR', '123400 EUR'],
  ['1.234 €', '', '123400 EUR'],
  ['1.234.567', 'EUR', '123456700 EUR'],
  ['1 000', 'EUR', '100000 EUR'],
  ["CHF 1'299.–", '', '129900 CHF'],
  ['12,-', 'EUR', '1200 EUR'],
  ['₹1,23,456.00', '', '12345600 INR'],
  ['0.125', 'EUR', '13 EUR'],
  ['1234.567', 'EUR', '123457 EUR'],
  // Other digits.
  ['١٬٢٣٤٫٥٠', 'EGP', '123450 EGP'],
  ['۵۰', 'IRR', '5000 IRR'],
  ['५०', 'INR', '5000 INR'],
  // Below nothing.
  ['−20,00 €', 'EUR', '-2000 EUR'],
  ['(20.00)', 'USD', '-2000 USD'],
  ['-$20', 'USD', '-2000 USD'],
  ['$-20', 'USD', '-2000 USD'],
  ['20-', 'EUR', '-2000 EUR'],
])('%j %s is %s', (value, currency, expected) => {
  const money = parseAmount(value, currency);
  expect(money && `${money.minor} ${money.currency}`).toBe(expected);
});

test.each([
  ...[
    1e21,
    1e-7,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '',
    'free',
    '0x10',
    '1e3',
    '10 00',
    '.50',
    '5.',
    null,
    true,
    {},
  ],
  ...['1'.repeat(16), '5 pieces', '10%', '1,234.56,7', '1.23.4', '(5', '5)', '1,2,3', '12 EUR USD'],
  // A thousand or one and a fraction; a currency that the event denies.
  ...['1.234', '$5', '5 USD', '£5'],
])('%j is no amount in euros', (value) => {
  expect(parseAmount(value, 'EUR')).toBeUndefined();
});

test.each([
  [{ amount: 5, currency: 'eur' }, '5.00 EUR'],
  [{ total: '5', currencyCode: 'GBP' }, '5.00 GBP'],
  [{ totalAmount: { amount: '5.5', currency: 'USD' } }, '5.50 USD'],
  [{ total_amount: { value: 5, currency_code: 'USD' } }, '5.00 USD'],
  [{ amount: -5, currency: 'EUR' }, '-5.00 EUR'],
  [{ amount: 5 }, '5.00 in an unstated currency'],
  [{ amount: 5, currency: { toString: 1 } }, '5.00 in an unstated currency'],
  [{ amount: 1234567.5, currency: 'CHF' }, '1,234,567.50 CHF'],
  [{ amount: '$1,299.00' }, '$1,299.00'],
  [{ amount: '¥1,200' }, '¥1,200'],
  [{ totalCents: 4990, currency: 'EUR' }, '49.90 EUR'],
  [{ amount_in_cents: '4990', currency: 'JPY' }, '4,990 JPY'],
  // The most telling field cannot be read: another would be a guess.
  [{ total: 'on request', price: 5, currency: 'EUR' }, null],
  [{ total: null, price: 5, currency: 'EUR' }, '5.00 EUR'],
  [{ totalCents: 4990 }, null],
])('%j reads as %s', (payload, text) => {
  const money = findMoney(sourcesFor(payload), ['total', 'minorUnits']);
  expect(money && formatMoney(money)).toBe(text);
});

test.each([
  [{ object: 'invoice', amount_paid: 4900, currency: 'usd' }, '49.00 USD'],
  [{ amount_paid: 4900, currency: 'usd' }, '49.00 USD'],
  [{ object: 'charge', amount: 500, currency: 'jpy' }, '500 JPY'],
  [{ object: 'charge', amount: 12345, currency: 'kwd' }, '12.345 KWD'],
  [{ object: 'charge', amount: 50_000, currency: 'isk' }, '500 ISK'],
  [{ object: 'charge', amount: 500, currency: 'mga' }, '500.00 MGA'],
  [{ object: 'charge', amount: 500 }, null],
  [{ amount_paid: '49.00', currency: 'usd' }, '49.00 USD'],
  [{ amount: 49.5, currency: 'usd' }, '49.50 USD'],
  [{ totalAmount: 49, currency: 'usd' }, '49.00 USD'],
])('in an event of Stripe, %j reads as %s', (object, text) => {
  const money = findMoney(sourcesFor({ id: 'evt_1', data: { object } }), ['received', 'total']);
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
  expect(findOrderWorth([{ currency: 'EUR', items: [{ price: 5, quantity: 1.5 }] }])).toBeNull();
  expect(nameItems([{ items }], 40)).toBe('Mug and 1 more');
});

test('a total names the amounts it leaves out', () => {
  const euros = { currency: 'EUR', minor: '5000' };
  const worth = [euros, null, euros].reduce(addMoney, emptyTotals());
  expect(writeWorth(worthOf(3, worth), 'order', 'worth')).toBe(
    '3 orders (2 worth 100.00 EUR and 1 order without a known amount)',
  );
  expect(writeWorth(worthOf(1, addMoney(emptyTotals(), null)), 'order', 'worth')).toBe(
    '1 order without a known amount',
  );
  expect(writeWorth(worthOf(1, addMoney(emptyTotals(), euros)), 'payment', 'totalling')).toBe('1 payment of 50.00 EUR');
});

test('sums do not drift, and say what they leave out', () => {
  const sum = Array.from({ length: 1000 }, () => ({ currency: 'EUR', minor: '10' })).reduce(addMoney, emptyTotals());
  expect(totalsOf(sum)).toBe('100.00 EUR');
  const currencies = Array.from({ length: 20 }, (_, index) => ({
    currency: `AA${String.fromCharCode(65 + index)}`,
    minor: '100',
  }));
  const many = currencies.reduce(addMoney, emptyTotals());
  expect(many.amounts.length).toBe(12);
  expect(totalsOf(many)).toBe('1.00 AAA, 1.00 AAB, 1.00 AAC and amounts in other currencies');
});

test('minor units survive formatting and parsing, also in the notations of other countries', () => {
  const notations = [
    (text: string) => text,
    (text: string) => text.replaceAll(',', ' ').replace('.', ','),
    (text: string) => text.replaceAll(',', "'"),
    (text: string) => text.replace(/[.,]/g, (mark) => (mark === '.' ? ',' : '.')),
  ];
  const minor = fc.bigInt(0n, 10n ** 17n);
  const currencies = fc.constantFrom('EUR', 'JPY', 'KWD', 'CLF');
  fc.assert(
    fc.property(minor, currencies, fc.constantFrom(...notations), (amount, currency, write) => {
      const [text = ''] = formatMoney({ currency, minor: String(amount) }).split(' ');
      fc.pre(text.replace(/\..*|,/g, '').length <= 15);
      const written = `${write(text)} ${currency}`;
      const isAmbiguous = currency === 'KWD' && /^[1-9]\d{0,2},\d{3} /.test(written);
      const parsed = parseAmount(written, '');
      expect(parsed).toEqual(isAmbiguous ? undefined : { currency, minor: String(amount) });
    }),
  );
});
