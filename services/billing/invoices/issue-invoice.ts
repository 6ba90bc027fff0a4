import { createHash } from 'node:crypto';
import { insertIfAbsent } from '../../../lib/data/collection.ts';
import { isDuplicateKey } from '../../../lib/data/database-errors.ts';
import { currencyDigits, requireAmount, sumOf } from '../../../lib/format/money.ts';
import {
  type InvoiceDocument,
  type InvoiceLine,
  InvoiceModel,
  type InvoiceParty,
  type InvoiceTax,
} from '../../../models/billing/invoice.ts';
import { taxBehavior } from '../../../models/billing/sold-version.ts';
import { now } from '../clock.ts';
import { sellerSettings } from '../settings.ts';
import { formerStatuses, type SettledStatus } from './invoices.ts';

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

/** A tax that prices include, in percent with at most three decimals, such as `19` or `8.875`. */
export type TaxRate = { name: string; rate: string };

/** The seller, its registration numbers and its tax. An invoice keeps the values of its creation. */
export type Issuer = {
  seller: InvoiceParty;
  /** Precedes the year in a number. Another prefix begins another series. */
  prefix: string;
  taxRate: TaxRate | null;
};

/** The issuer as the settings say. */
export function currentIssuer(): Issuer {
  const {
    SELLER_NAME: name,
    SELLER_ADDRESS: address,
    SELLER_TAX_ID: taxId = null,
    INVOICE_PREFIX: prefix,
  } = sellerSettings;
  const { TAX_NAME, TAX_RATE } = sellerSettings;
  return {
    seller: { name, address, taxId },
    prefix,
    taxRate: TAX_RATE === undefined ? null : { name: TAX_NAME, rate: TAX_RATE },
  };
}

const numberDigits = 6;

/**
 * Creates the invoice of an order and gives it the next number of the issuer's year (UTC), such as `2026-000001`.
 * Idempotent, also after a crash at any point: the same number and content.
 *
 * @throws RangeError for an order that cannot be one; see {@link composeDraft}.
 */
export async function issueInvoice(order: InvoiceOrder, issuer: Issuer = currentIssuer()): Promise<InvoiceDocument> {
  const draft = composeDraft(order, issuer);
  await insertIfAbsent<InvoiceDocument>(InvoiceModel, draft);
  return await openInvoice(draft, issuer);
}

const maxBatchSize = 1000;

/**
 * Opens the drafts that were created before `before` and never opened, of every organization, oldest first. Returns how
 * many it opened.
 */
export async function reopenStaleDrafts(before: Date, issuer: Issuer = currentIssuer()): Promise<number> {
  const drafts = await InvoiceModel.find({ status: 'draft', createdAt: { $lt: before } })
    .setOptions({ acrossTenants: true, sort: { createdAt: 1 } })
    .select({ orgId: 1 })
    .limit(maxBatchSize)
    .lean<Named[]>();
  for (const draft of drafts) await openInvoice(draft, issuer);
  return drafts.length;
}

type Named = Pick<InvoiceDocument, '_id' | 'orgId'>;

/** Drafts are opened one after another in this process, so that only other nodes compete for a number. */
let opening: Promise<unknown> = Promise.resolve();

function openInvoice(named: Named, issuer: Issuer): Promise<InvoiceDocument> {
  const opened = opening.then(() => takeNumber(named, issuer));
  opening = opened.catch(() => undefined);
  return opened;
}

/**
 * Numbers are unique and without gaps, even after a crash. The unique index on series and sequence gives a number to
 * one invoice only. An invoice takes a number only after it has read the previous one or lost it to a duplicate key.
 */
async function takeNumber({ _id, orgId }: Named, { prefix }: Issuer): Promise<InvoiceDocument> {
  for (;;) {
    const at = now();
    const series = `${prefix && `${prefix}-`}${at.getUTCFullYear()}`;
    const last = await InvoiceModel.findOne({ series })
      .setOptions({ acrossTenants: true, sort: { sequence: -1 } })
      .select({ sequence: 1, issuedAt: 1 })
      .lean<Pick<InvoiceDocument, 'sequence' | 'issuedAt'>>();
    const sequence = (last?.sequence ?? 0) + 1;
    const number = `${series}-${String(sequence).padStart(numberDigits, '0')}`;
    // Nodes' clocks differ, but a later number is of no earlier time.
    const issuedAt = last?.issuedAt && last.issuedAt > at ? last.issuedAt : at;
    const change = { status: 'open' as const, series, sequence, number, issuedAt, updatedAt: at };
    if (await tookNumber({ _id, orgId }, change)) return await readInvoice({ _id, orgId });
  }
}

/** Returns false when another invoice took the number first. */
async function tookNumber({ _id, orgId }: Named, change: Partial<InvoiceDocument>): Promise<boolean> {
  try {
    await InvoiceModel.updateOne({ orgId, _id, status: 'draft' }, { $set: change });
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/**
 * Moves an invoice to its next status and changes nothing else. Idempotent: a repeated transition has no effect.
 *
 * @returns whether this call changed the status; false also when the present status does not allow the transition.
 */
export async function settleInvoice(
  { _id, orgId }: Named,
  status: SettledStatus,
  payment: Partial<Pick<InvoiceDocument, 'paidAt' | 'paymentReference'>> = {},
): Promise<boolean> {
  const paid = status === 'paid' ? { paidAt: now(), ...payment } : {};
  const { matchedCount } = await InvoiceModel.updateOne(
    { orgId, _id, status: { $in: formerStatuses[status] } },
    { $set: { status, ...paid, updatedAt: now() } },
  );
  return matchedCount === 1;
}

async function readInvoice({ _id, orgId }: Named): Promise<InvoiceDocument> {
  const invoice = await InvoiceModel.findOne({ orgId, _id }).lean<InvoiceDocument>();
  if (!invoice) throw new Error(`The invoice ${_id} is gone.`);
  return invoice;
}
