import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';
import type { TaxBehavior } from './sold-version.ts';

export const invoiceStatuses = ['draft', 'open', 'paid', 'void', 'uncollectible'] as const;
export type InvoiceStatus = (typeof invoiceStatuses)[number];

/** The seller or the buyer when the invoice was created; `address` has one entry per line. */
export type InvoiceParty = { name: string; address: string[]; taxId: string | null };

/** A line. Amounts are in the currency's minor unit, tax included; a credit is negative. */
export type InvoiceLine = {
  description: string;
  quantity: number;
  unitAmount: number;
  amount: number;
  /** The period of the charge, without its end; null when it has none. */
  period: { start: Date; end: Date } | null;
};

/** Tax that the amounts of the lines include: `amount` on `net`, at `rate` percent as a decimal number. */
export type InvoiceTax = { name: string; rate: string; net: number; amount: number };

/**
 * An invoice. It is never deleted, and its content, from the lines to the total, is immutable. Only its status and the
 * fields of the status change, by the rules of `services/billing/invoices/invoices.ts`.
 */
export type InvoiceDocument = {
  /** Derived from the organization and `key`, so that the same charge has one invoice. */
  _id: string;
  orgId: string;
  /** The charge, unique in the organization, such as a subscription's period. */
  key: string;
  status: InvoiceStatus;
  /** A series is numbered from 1 without gaps. A draft has a separate series, its id, and the number 0. */
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
  /** When its status last changed; missing in older invoices. */
  updatedAt?: Date;
  /** When it was opened; never earlier than an invoice with a smaller number in its series. */
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
// Finds abandoned drafts.
schema.index({ status: 1, createdAt: 1 });

export const InvoiceModel = model('BillingInvoice', schema);
