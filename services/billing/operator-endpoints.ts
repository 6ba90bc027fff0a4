import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import { type CallContext, call } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { exampleId } from '../../lib/contract/examples.ts';
import { organizationId, pageQuery, pathText } from '../../lib/contract/input.ts';
import { type InvoiceDocument, InvoiceModel } from '../../models/billing/invoice.ts';
import { planNames } from '../../models/billing/sold-version.ts';
import {
  type SubscriptionDocument,
  SubscriptionModel,
  subscriptionStatuses,
} from '../../models/billing/subscription.ts';
import { exampleInvoice, findInvoicePage, invoiceOutput, invoicePage, toInvoiceResponse } from './invoices/invoices.ts';
import { payInvoice } from './operator.ts';
import { billedPath, exampleSubscription, subscriptionOutput } from './subscriptions/endpoints.ts';
import { readSubscriptions } from './subscriptions/subscriptions.ts';

/** `billing.subscriptions.standings`: the plan of each organization, without those that do not exist. */
export const listStandings = defineAction({
  summary: 'List the plans of organizations',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ orgIds: z.array(organizationId).max(100) }) },
  output: z.strictObject({
    standings: z.record(z.string(), z.strictObject({ plan: z.enum(planNames), status: z.enum(subscriptionStatuses) })),
  }),
  async handler({ body: { orgIds }, ctx }) {
    const subscriptions = await readSubscriptions(ctx, orgIds);
    const standings = [...subscriptions].map(([id, { plan, status }]) => [id, { plan, status }] as const);
    return { standings: Object.fromEntries(standings) };
  },
});

/** `billing.subscriptions.past-due`: the first organizations whose last payment failed. */
export const listPastDue = defineAction({
  summary: 'List organizations whose last payment failed',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ limit: z.int().min(1).max(100) }) },
  output: z.strictObject({ orgIds: z.array(organizationId) }),
  async handler({ body: { limit } }) {
    const found = await SubscriptionModel.find(
      { 'subscription.status': 'past_due' },
      { _id: 1 },
      { acrossTenants: true },
    )
      .sort({ _id: 1 })
      .limit(limit)
      .lean<Pick<SubscriptionDocument, '_id'>[]>();
    return { orgIds: found.map(({ _id }) => _id) };
  },
});

/** PUT /operator/organizations/:orgId/plan: gives an organization a plan without payment. */
export const givePlan = defineAction({
  rest: 'PUT /operator/organizations/:orgId/plan',
  summary: 'Give an organization a plan without payment',
  description:
    'Gives an organization a plan immediately and free of charge; `free` takes a given plan away. A paid subscription ' +
    'ends. It is recorded in the audit log of the organization.',
  permission: 'operator',
  input: { path: billedPath, body: z.strictObject({ plan: z.enum(planNames) }).meta({ id: 'GivenPlanInput' }) },
  output: subscriptionOutput,
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: {
    path: { orgId: exampleSubscription.orgId },
    body: { plan: 'pro' },
    output: { ...exampleSubscription, gatewaySubscriptionId: null },
  },
  async handler({ path, body: { plan }, ctx }): Promise<z.output<typeof subscriptionOutput>> {
    await requireOrganization(ctx, path.orgId);
    return await call(ctx, 'billing.subscriptions.give', { body: { orgId: path.orgId, plan } });
  },
});

/** A path may contain any text, and an organization that is being deleted gets nothing. */
async function requireOrganization(ctx: CallContext, id: string): Promise<void> {
  const { organization } = await call(ctx, 'identity.organizations.describe', { body: { orgId: id } });
  if (!organization) throw apiError('NOT_FOUND');
}

/** GET /operator/organizations/:orgId/invoices: the invoices of an organization, the newest first. */
export const listInvoices = defineAction({
  rest: 'GET /operator/organizations/:orgId/invoices',
  summary: 'List the invoices of an organization as an operator',
  description: 'Returns the invoices of an organization, the newest first.',
  permission: 'operator',
  input: { path: billedPath, query: z.strictObject(pageQuery) },
  output: invoicePage,
  errors: ['NOT_FOUND', 'CURSOR_INVALID'],
  example: {
    path: { orgId: exampleId('org') },
    query: { limit: '20' },
    output: { invoices: [exampleInvoice], nextCursor: null },
  },
  async handler({ path, query: { limit, cursor }, ctx }) {
    await requireOrganization(ctx, path.orgId);
    return await findInvoicePage(path.orgId, limit, cursor);
  },
});

/** POST /operator/organizations/:orgId/invoices/:invoiceId/pay: the payment of an invoice was received manually. */
export const markPaid = defineAction({
  rest: 'POST /operator/organizations/:orgId/invoices/:invoiceId/pay',
  summary: 'Mark an invoice as paid',
  description:
    'Records that the payment of an open or uncollectible invoice was received outside of the payment provider; the ' +
    'subscription renews. An invoice that is paid already stays as it is; one that is void or a draft is `CONFLICT`. ' +
    'It is recorded in the audit log of the organization.',
  permission: 'operator',
  input: { path: billedPath.extend({ invoiceId: pathText(/^ivc_[0-9a-z]{26}$/).max(64) }) },
  output: invoiceOutput,
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: { path: { orgId: exampleId('org'), invoiceId: exampleInvoice.invoiceId }, output: exampleInvoice },
  async handler({ path: { orgId: of, invoiceId: _id }, ctx }) {
    const read = () => InvoiceModel.findOne({ orgId: of, _id }).lean<InvoiceDocument>();
    const invoice = await read();
    if (!invoice) throw apiError('NOT_FOUND');
    const paid = await payInvoice(ctx, invoice);
    if (paid) {
      await recordAuditEvent(ctx, {
        action: 'invoice.paid',
        orgId: of,
        target: { type: 'invoice', id: _id },
        before: { status: invoice.status },
        after: { status: 'paid', number: invoice.number },
      });
      return toInvoiceResponse(paid);
    }
    // It may have been paid or voided since it was read.
    const present = (await read()) ?? invoice;
    if (present.status !== 'paid') {
      throw apiError('CONFLICT', { message: `The invoice is ${present.status}: no payment is due.` });
    }
    return toInvoiceResponse(present);
  },
});

export const operatorEndpoints = {
  'subscriptions.standings': listStandings,
  'subscriptions.past-due': listPastDue,
  'operator.plan.give': givePlan,
  'operator.invoices.list': listInvoices,
  'operator.invoices.pay': markPaid,
};
