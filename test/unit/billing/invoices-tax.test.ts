import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { toDecimal } from '../../../lib/format/money.ts';
import { includedTax, invoiceId } from '../../../services/billing/invoices/issue-invoice.ts';

test.each([
  [11900, '19', 10000, 1900],
  [4900, '8.875', 4501, 399],
  [100, '0', 100, 0],
  [0, '19', 0, 0],
  [1, '99.999', 1, 0],
])('of %d at %s percent, %d is without tax and %d the tax', (amount, rate, net, tax) => {
  expect(includedTax(amount, { name: 'VAT', rate })).toEqual({ name: 'VAT', rate, net, amount: tax });
});

test('tax and what is without it are the amount, and the tax is off by half a unit at most', () => {
  const thousandths = fc.integer({ min: 0, max: 99_999 });
  fc.assert(
    fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), thousandths, (amount, rate) => {
      const { net, amount: tax } = includedTax(amount, { name: 'VAT', rate: toDecimal(rate, 'kwd') });
      expect(net + tax).toBe(amount);
      const offBy = 2n * (BigInt(tax) * (100_000n + BigInt(rate)) - BigInt(amount) * BigInt(rate));
      expect(offBy <= 100_000n + BigInt(rate) && offBy > -(100_000n + BigInt(rate))).toBe(true);
    }),
  );
});

test('an invoice’s id tells the organization and the key apart, and is the same each time', () => {
  expect(invoiceId('org_a', 'b')).toBe(invoiceId('org_a', 'b'));
  expect(new Set([invoiceId('org_a', 'b'), invoiceId('org_a', 'c'), invoiceId('org_b', 'b')]).size).toBe(3);
  expect(invoiceId('org_a', 'b')).toMatch(/^ivc_[0-9a-hjkmnp-tv-z]{26}$/);
});
