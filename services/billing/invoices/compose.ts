import { createHash } from 'node:crypto';
import { currencyDigits, requireAmount, sumOf } from '../../../lib/money.ts';
import type { InvoiceDocument, InvoiceLine, InvoiceParty, InvoiceTax } from '../../../models/billing/invoice.ts';
import { taxBehavior } from '../../../models/billing/sold-version.ts';
import { now } from '../clock.ts';
import type { Issuer, TaxRate } from './issuer.ts';

/** An order of an invoice. The same `orgId` and `key` are one invoice, however often it is ordered. */
export type InvoiceOrder = {
  orgId: string;
  /** The idempotency key, such as `sub:2026-01-01T00:00:00.000Z`. */
  key: string;
  currency: string;
  buyer: InvoiceParty;
  /** Unit prices in the currency's minor unit, tax included; negative for a credit. */
  lines: Omit<InvoiceLine, 'amount'>[];
  dueAt?: Date;
};

/**
 * Composes the draft invoice of an order, ready to be stored.
 *
 * @throws RangeError for an unknown currency, no lines, a quantity or amount that is not an integer, and when the
 *   credits exceed the rest.
 */
export function composeDraft(order: InvoiceOrder, { seller, taxRate }: Issuer): InvoiceDocument {
  const { orgId, key, currency, buyer, dueAt = null } = order;
  currencyDigits(currency);
  if (order.lines.length === 0) throw new RangeError('An invoice needs at least one line.');
  const lines = order.lines.map((line) => ({ ...line, amount: lineAmount(line) }));
  const amount = sumOf(lines.map((line) => line.amount));
  if (amount < 0) throw new RangeError(`The total of an invoice must not be negative: ${amount}.`);
  const _id = invoiceId(orgId, key);
  const at = now();
  return {
    _id,
    orgId,
    key,
    status: 'draft',
    series: _id,
    sequence: 0,
    number: null,
    currency,
    seller,
    buyer,
    lines,
    taxes: taxRate ? [includedTax(amount, taxRate)] : [],
    taxBehavior,
    amount,
    createdAt: at,
    updatedAt: at,
    issuedAt: null,
    dueAt,
    paidAt: null,
    paymentReference: null,
  };
}

function lineAmount({ quantity, unitAmount }: Pick<InvoiceLine, 'quantity' | 'unitAmount'>): number {
  if (quantity < 1) throw new RangeError(`The quantity of an invoice line must be at least 1: ${quantity}.`);
  return requireAmount(requireAmount(quantity) * requireAmount(unitAmount));
}

/** A thousandth of a percent is the finest rate there is. */
const rateDigits = 3;
const whole = 100n * 10n ** BigInt(rateDigits);

/** The tax in an amount that includes it, to the nearest minor unit, halves up. */
export function includedTax(amount: number, { name, rate }: TaxRate): InvoiceTax {
  const [percent = '', fraction = ''] = rate.split('.');
  const thousandths = BigInt(percent + fraction.padEnd(rateDigits, '0'));
  const divisor = whole + thousandths;
  const tax = Number((2n * BigInt(amount) * thousandths + divisor) / (2n * divisor));
  return { name, rate, net: amount - tax, amount: tax };
}

/** Crockford's base32, the alphabet of all ids. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const idCharacters = 26;

/** The invoice id of an organization and a key: 130 bits of their SHA-256. */
export function invoiceId(orgId: string, key: string): string {
  const bytes = createHash('sha256').update(`${orgId}\n${key}`).digest();
  const characters = Array.from(bytes.subarray(0, idCharacters), (byte) => alphabet.charAt(byte % alphabet.length));
  return `ivc_${characters.join('')}`;
}
