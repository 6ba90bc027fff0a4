import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/tenant-guard.ts';
import type { TaxBehavior } from './sold-version.ts';

export const invoiceStatuses = ['draft', 'open', 'paid', 'void', 'uncollectible'] as const;
export type InvoiceStatus = (typeof invoiceStatuses)[number];

/** Who sells or buys, as it was when the invoice was made; `address` has a line an entry. */
export type InvoiceParty = { name: string; address: string[]; taxId: string | null };

/** What is charged. Amounts are in the currency's minor unit, tax included; a credit is negative. */
export type InvoiceLine = {
  description: string;
  quantity: number;
  unitAmount: number;
  amount: number;
  /** The time it is for, its end excluded; null when it is for none. */
  period: { start: Date; end: Date } | null;
};

/** Tax that the amounts of the lines include: `amount` on `net`, at `rate` percent as a decimal number. */
export type InvoiceTax = { name: string; rate: string; net: number; amount: number };

/**
 * An invoice. From its lines to its total nothing ever changes, and it is never deleted: what may is its status and
 * what belongs to that, and only as `services/billing/invoices/status.ts` says.
 */
export type InvoiceDocument = {
  /** Derived from the organization and `key`: what is invoiced twice is one invoice. */
  _id: string;
  orgId: string;
  /** What it is for, one of a kind in the organization, such as a subscription's period. */
  key: string;
  status: InvoiceStatus;
  /** The numbers of a series run from 1 without a gap. A draft is in a series of its own, its id, with number 0. */
  series: string;
  sequence: number;
  /** As it is printed, such as `2026-000001`; null in a draft. */
  number: string | null;
  currency: string;
  seller: InvoiceParty;
  buyer: InvoiceParty;
  lines: InvoiceLine[];
  taxes: InvoiceTax[];
  /** Whether the amounts of the lines include tax; missing in older invoices, whose amounts do. */
  taxBehavior?: TaxBehavior;
  /** The sum of the lines. */
  amount: number;
  createdAt: Date;
  /** When its status changed last; missing where that was before it was kept. */
  updatedAt?: Date;
  /** When it was opened; never before that of a smaller number of its series. */
  issuedAt: Date | null;
  dueAt: Date | null;
  paidAt: Date | null;
  /** The payment's id at the provider that collected it. */
  paymentReference: string | null;
};

const party = { _id: false, name: String, address: [String], taxId: { type: String, default: null } };
const line = {
  _id: false,
  description: String,
  quantity: Number,
  unitAmount: Number,
  amount: Number,
  period: { _id: false, type: { start: Date, end: Date }, default: null },
};
const tax = { _id: false, name: String, rate: String, net: Number, amount: Number };

const schema = new Schema<InvoiceDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    key: { type: String, required: true },
    status: { type: String, enum: invoiceStatuses, required: true },
    series: { type: String, required: true },
    sequence: { type: Number, required: true },
    number: { type: String, default: null },
    currency: { type: String, required: true, immutable: true },
    seller: { type: party, required: true, immutable: true },
    buyer: { type: party, required: true, immutable: true },
    lines: { type: [line], required: true, immutable: true },
    taxes: { type: [tax], required: true, immutable: true },
    taxBehavior: { type: String, immutable: true },
    amount: { type: Number, required: true, immutable: true },
    createdAt: { type: Date, required: true },
    updatedAt: Date,
    issuedAt: { type: Date, default: null },
    dueAt: { type: Date, default: null },
    paidAt: { type: Date, default: null },
    paymentReference: { type: String, default: null },
  },
  { collection: 'billing_invoices', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, createdAt: -1, _id: -1 });
// The unique index gives a number to the first writer, across all nodes.
schema.index({ series: 1, sequence: 1 }, { unique: true });
// Abandoned drafts.
schema.index({ status: 1, createdAt: 1 });

export const InvoiceModel = model('BillingInvoice', schema);
