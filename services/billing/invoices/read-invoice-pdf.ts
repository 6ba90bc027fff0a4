import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { bytesAnswer, bytesOutput } from '../../../lib/content.ts';
import { apiError } from '../../../lib/errors.ts';
import { pathText } from '../../../lib/path-text.ts';
import { type InvoiceDocument, InvoiceModel } from '../../../models/billing/invoice.ts';
import { exampleInvoice, exampleLink } from './invoices.ts';
import { isLinkValid } from './links.ts';
import { toPrinted } from './pdf/printed-invoice.ts';
import { renderPdf } from './pdf/renderer.ts';

/** GET /v1/invoices/:invoiceId/pdf: an invoice to print, by its link or by a credential that may read it. */
export const readInvoicePdf = defineAction({
  rest: 'GET /v1/invoices/:invoiceId/pdf',
  summary: 'Read an invoice as PDF, by a link to it or a credential',
  permission: 'billing.read',
  organization: async ({ path }) => (await findInvoice(path.invoiceId))?.orgId ?? null,
  isPublicCall: ({ path, query }) => isByLink(path.invoiceId, query),
  input: {
    path: z.strictObject({ invoiceId: pathText(/^ivc_[0-9a-z]{26}$/).max(64) }),
    query: z.strictObject({ expires: z.string().max(20).optional(), signature: z.string().max(100).optional() }),
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

declare module '../../../lib/calls.ts' {
  interface Calls {
    'billing.invoices.read-pdf': typeof readInvoicePdf;
  }
}
