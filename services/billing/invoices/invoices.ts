import { z } from 'zod';
import { exampleId, exampleInstant } from '../../../lib/examples.ts';
import { timestamp } from '../../../lib/instant.ts';
import { type InvoiceDocument, invoiceStatuses } from '../../../models/billing/invoice.ts';
import { pdfLink } from './links.ts';

/**
 * An invoice as it is shown. `amount` is in the currency's minor unit, `currency` a code of ISO 4217 in lower case;
 * times are ISO 8601 UTC with milliseconds. A draft has no number; `pdfUrl` works without a credential for an hour.
 */
export const invoiceOutput = z
  .strictObject({
    invoiceId: z.string(),
    number: z.string().nullable(),
    status: z.enum(invoiceStatuses),
    amount: z.number().int(),
    currency: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
    issuedAt: timestamp.nullable(),
    dueAt: timestamp.nullable(),
    paidAt: timestamp.nullable(),
    pdfUrl: z.url(),
  })
  .meta({ id: 'Invoice' });

/** The parameters of the link to the PDF of {@link exampleInvoice}. */
export const exampleLink = { expires: '1772447400', signature: 'example'.padEnd(43, '0') };

export const exampleInvoice = {
  invoiceId: exampleId('ivc'),
  number: '2026-000001',
  status: 'paid',
  amount: 4900,
  currency: 'eur',
  createdAt: exampleInstant,
  updatedAt: exampleInstant,
  issuedAt: exampleInstant,
  dueAt: null,
  paidAt: exampleInstant,
  pdfUrl: `https://platform.example/v1/invoices/${exampleId('ivc')}/pdf?${new URLSearchParams(exampleLink)}`,
} satisfies z.input<typeof invoiceOutput>;

/** The fields of an invoice that {@link toInvoiceResponse} reads. */
export const shownFields = {
  number: 1,
  status: 1,
  amount: 1,
  currency: 1,
  createdAt: 1,
  updatedAt: 1,
  issuedAt: 1,
  dueAt: 1,
  paidAt: 1,
} as const;
export type ShownInvoice = Pick<InvoiceDocument, '_id' | keyof typeof shownFields>;

export function toInvoiceResponse(invoice: ShownInvoice): z.output<typeof invoiceOutput> {
  const { _id, number, status, amount, currency, createdAt, updatedAt, issuedAt, dueAt, paidAt } = invoice;
  return {
    invoiceId: _id,
    number,
    status,
    amount,
    currency,
    createdAt: createdAt.toISOString(),
    updatedAt: (updatedAt ?? createdAt).toISOString(),
    issuedAt: issuedAt?.toISOString() ?? null,
    dueAt: dueAt?.toISOString() ?? null,
    paidAt: paidAt?.toISOString() ?? null,
    pdfUrl: pdfLink(_id),
  };
}
