import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { exampleId } from '../../../lib/examples.ts';
import { afterInstant, pageQuery, toPage } from '../../../lib/page.ts';
import { pathId } from '../../../lib/path-text.ts';
import { InvoiceModel } from '../../../models/billing/invoice.ts';
import { exampleInvoice, invoiceOutput, type ShownInvoice, shownFields, toInvoiceResponse } from './invoices.ts';

/** GET /v1/orgs/:orgId/invoices: the organization's invoices, the newest first. */
export const listInvoices = defineAction({
  rest: 'GET /v1/orgs/:orgId/invoices',
  summary: 'List invoices',
  permission: 'billing.read',
  organization: ({ path }) => path.orgId,
  input: { path: z.strictObject({ orgId: pathId('org') }), query: z.strictObject(pageQuery) },
  output: z.strictObject({ invoices: z.array(invoiceOutput), nextCursor: z.string().nullable() }),
  errors: ['NOT_FOUND', 'CURSOR_INVALID'],
  example: {
    path: { orgId: exampleId('org') },
    query: { limit: '20' },
    output: { invoices: [exampleInvoice], nextCursor: null },
  },
  async handler({ query: { limit, cursor }, caller: { orgId } }) {
    const invoices = await InvoiceModel.find({ orgId, ...afterInstant(cursor, ['createdAt', '_id'], -1) })
      .sort({ createdAt: -1, _id: -1 })
      .limit(limit + 1)
      .select(shownFields)
      .lean<ShownInvoice[]>();
    const page = toPage(
      invoices,
      limit,
      (invoice) => [invoice.createdAt.toISOString(), invoice._id],
      toInvoiceResponse,
    );
    return { invoices: page.data, nextCursor: page.nextCursor };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'billing.invoices.list': typeof listInvoices;
  }
}
