import { z } from 'zod';
import { bytesAnswer, bytesOutput } from '../../../lib/contract/contract.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../../lib/contract/examples.ts';
import { afterInstant, pageQuery, pathId, pathText, timestamp, toPage } from '../../../lib/contract/input.ts';
import { fromNow, hour, now, second } from '../../../lib/data/clock.ts';
import { isSigned, sign } from '../../../lib/security/encryption.ts';
import { settings } from '../../../lib/settings/settings.ts';
import {
  type InvoiceDocument,
  InvoiceModel,
  type InvoiceStatus,
  invoiceStatuses,
} from '../../../models/billing/invoice.ts';
import { toPrinted } from './pdf/printed-invoice.ts';
import { renderPdf } from './pdf/renderer.ts';

const purpose = 'link to the PDF of an invoice';
const lifetime = hour;

/** The address of an invoice's PDF. The link is a bearer credential for an hour. */
export function pdfLink(invoiceId: string): string {
  const expires = String(Math.floor(fromNow(lifetime).getTime() / second));
  const query = new URLSearchParams({ expires, signature: sign(purpose, signedText(invoiceId, expires)) });
  return `${settings.PUBLIC_URL}/v1/invoices/${invoiceId}/pdf?${query}`;
}

/** Whether {@link pdfLink} made these parameters for the invoice, and not too long ago. `expires` is in seconds. */
export function isLinkValid(invoiceId: string, expires: string, signature: string): boolean {
  const isTimely = Number(expires) * second > now().getTime();
  return isSigned(purpose, signedText(invoiceId, expires), signature) && isTimely;
}

function signedText(invoiceId: string, expires: string): string {
  return `${invoiceId} ${expires}`;
}

/**
 * An invoice as it is shown. `amount` is in the currency's minor unit, `currency` a code of ISO 4217 in lower case;
 * times are ISO 8601 UTC with milliseconds. A draft has no number; `pdfUrl` works without a credential for an hour.
 */
export const invoiceOutput = z
  .strictObject({
    invoiceId: z.string(),
    number: z.string().nullable().describe('The number that is printed on the invoice; null for a draft.'),
    status: z
      .enum(invoiceStatuses)
      .describe('`open` waits for payment; `void` was cancelled; `uncollectible` was given up.'),
    amount: z.number().int(),
    currency: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
    issuedAt: timestamp.nullable().describe('When it was issued; null for a draft.'),
    dueAt: timestamp.nullable().describe('When it has to be paid; null without a due date.'),
    paidAt: timestamp.nullable().describe('When it was paid; null until then.'),
    pdfUrl: z.url().describe('The address of the invoice as PDF, which needs no credential for one hour.'),
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

/** From which statuses an invoice gets to each; every other step is refused. A draft is opened by its number alone. */
export const formerStatuses = {
  paid: ['open', 'uncollectible'],
  void: ['open', 'uncollectible'],
  uncollectible: ['open'],
} as const satisfies Partial<Record<InvoiceStatus, InvoiceStatus[]>>;

export type SettledStatus = keyof typeof formerStatuses;

export const invoicePage = z
  .strictObject({
    invoices: z.array(invoiceOutput).describe('The invoices of this page.'),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'InvoicePage' });

/** GET /v1/orgs/:orgId/invoices: the organization's invoices, the newest first. */
export const listInvoices = defineAction({
  rest: 'GET /v1/orgs/:orgId/invoices',
  summary: 'List invoices',
  description:
    "Returns the organization's invoices, the newest first. Each `pdfUrl` opens without a credential for one hour; " +
    'list the invoices again for a new link. Members read them in a browser also while the organization is suspended.',
  permission: 'billing.read',
  organization: ({ path }) => path.orgId,
  whileSuspended: true,
  input: { path: z.strictObject({ orgId: pathId('org') }), query: z.strictObject(pageQuery) },
  output: invoicePage,
  errors: ['NOT_FOUND', 'CURSOR_INVALID'],
  example: {
    path: { orgId: exampleId('org') },
    query: { limit: '20' },
    output: { invoices: [exampleInvoice], nextCursor: null },
  },
  async handler({ query: { limit, cursor }, caller: { orgId } }) {
    return await findInvoicePage(orgId, limit, cursor);
  },
});

/** A page of the invoices of an organization, the newest first. */
export async function findInvoicePage(
  orgId: string,
  limit: number,
  cursor: string | undefined,
): Promise<z.output<typeof invoicePage>> {
  const invoices = await InvoiceModel.find({ orgId, ...afterInstant(cursor, ['createdAt', '_id'], -1) })
    .sort({ createdAt: -1, _id: -1 })
    .limit(limit + 1)
    .select(shownFields)
    .lean<ShownInvoice[]>();
  const page = toPage(invoices, limit, (invoice) => [invoice.createdAt.toISOString(), invoice._id], toInvoiceResponse);
  return { invoices: page.data, nextCursor: page.nextCursor };
}

/** GET /v1/invoices/:invoiceId/pdf: an invoice to print, by its link or by a credential that may read it. */
export const readInvoicePdf = defineAction({
  rest: 'GET /v1/invoices/:invoiceId/pdf',
  summary: 'Read an invoice as PDF, by a link to it or a credential',
  description:
    'Returns an invoice as PDF. The links in `pdfUrl` carry `expires` and `signature` and need no credential; ' +
    "without them the credential must be allowed to read the organization's billing. A link that is wrong or older " +
    'than an hour is refused with `PERMISSION_DENIED`.',
  permission: 'billing.read',
  organization: async ({ path }) => (await findInvoice(path.invoiceId))?.orgId ?? null,
  whileSuspended: true,
  isPublicCall: ({ path, query }) => isByLink(path.invoiceId, query),
  input: {
    path: z.strictObject({ invoiceId: pathText(/^ivc_[0-9a-z]{26}$/).max(64) }),
    query: z.strictObject({
      expires: z
        .string()
        .max(20)
        .optional()
        .describe('When the link expires, in seconds since 1970. Part of the link.'),
      signature: z.string().max(100).optional(),
    }),
  },
  output: bytesOutput,
  answers: 'bytes',
  mediaType: 'application/pdf',
  errors: ['NOT_FOUND'],
  example: {
    path: { invoiceId: exampleInvoice.invoiceId },
    query: exampleLink,
    output: {
      type: 'application/pdf',
      fileName: `invoice-${exampleInvoice.number}.pdf`,
      base64: 'JVBERi0xLjcKJSVFT0YK',
    },
  },
  async handler({ path }) {
    const invoice = await findInvoice(path.invoiceId);
    if (!invoice) throw apiError('NOT_FOUND');
    const bytes = await renderPdf(toPrinted(invoice));
    return bytesAnswer(bytes, { type: 'application/pdf', fileName: `invoice-${invoice.number ?? 'draft'}.pdf` });
  },
});

/** Whether the request came by a signed link. A wrong link is refused even if the caller could read the invoice. */
function isByLink(invoiceId: string, { expires, signature }: { expires?: string; signature?: string }): boolean {
  if (expires === undefined && signature === undefined) return false;
  if (isLinkValid(invoiceId, expires ?? '', signature ?? '')) return true;
  throw apiError('PERMISSION_DENIED', { message: 'The link is wrong or too old; list the invoices for a new one.' });
}

/** Finds an invoice across tenants: the link or the caller's membership permits the reading. */
function findInvoice(_id: string): Promise<InvoiceDocument | null> {
  return InvoiceModel.findOne({ _id }).setOptions({ acrossTenants: true }).lean<InvoiceDocument>();
}
