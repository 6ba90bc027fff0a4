import { z } from 'zod';
import { defineAction } from '../../../../lib/action.ts';
import { formatMoney } from '../../../../lib/money.ts';
import { consoleOutput } from '../../../../lib/said.ts';
import type { CheckoutDocument } from '../../../../models/billing/checkout.ts';
import { type InvoiceDocument, InvoiceModel } from '../../../../models/billing/invoice.ts';
import type { Subscription, SubscriptionDocument } from '../../../../models/billing/subscription.ts';
import { find } from '../../subscriptions/documents.ts';
import { findOpen } from '../checkouts/documents.ts';

const shownInvoices = 10;

/** `billing.console.show`, for the console: an organization's subscription, open invoices and checkout. */
export const showOrganization = defineAction({
  summary: "Describe an organization's subscription to an operator",
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ orgId: z.string() }) },
  output: consoleOutput,
  async handler({ body: { orgId } }) {
    const document = await find(orgId);
    if (!document) return { lines: [`${orgId} has no subscription: it is on the free plan, or does not exist.`] };
    const [checkout, invoices] = await Promise.all([
      findOpen(orgId),
      InvoiceModel.find({ orgId }).sort({ createdAt: -1 }).limit(shownInvoices).lean<InvoiceDocument[]>(),
    ]);
    return {
      lines: [
        ...describe(document.subscription),
        ...describeEffects(document),
        ...(checkout ? [describeCheckout(checkout)] : []),
        ...invoices.map(describeInvoice),
      ],
    };
  },
});

function describe(subscription: Subscription): string[] {
  const { plan, version, billingCycle, status, provider, gatewaySubscriptionId, scheduled } = subscription;
  const { currentPeriodStart: start, currentPeriodEnd: end, cancelAtPeriodEnd, cancelReason, deadline } = subscription;
  const payer = provider === null ? 'free of charge' : `paid by ${provider} ${gatewaySubscriptionId}`;
  return [
    `Plan ${plan}@${version} ${billingCycle}, ${status}, ${payer}.`,
    `Period ${start.toISOString()} / ${end.toISOString()}.`,
    ...(cancelAtPeriodEnd ? [`Cancelled; ends with the period${reasonOf(cancelReason)}.`] : []),
    ...(scheduled ? [`Changes to ${scheduled.plan} ${scheduled.billingCycle} with the next period.`] : []),
    ...(deadline ? [`The status expires at ${deadline.toISOString()}.`] : []),
  ];
}

/** Escaped as JSON, so that a customer's text cannot send control sequences to the operator's terminal. */
function reasonOf(cancelReason: string | null): string {
  return cancelReason === null ? '' : `, because ${JSON.stringify(cancelReason)}`;
}

function describeEffects({ effects }: SubscriptionDocument): string[] {
  return effects.map(({ kind, at }) => `Pending effect: ${kind}, since ${at.toISOString()}.`);
}

function describeCheckout({ _id, kind, provider, terms, amount, currency, expiresAt }: CheckoutDocument): string {
  const order = `${kind} of ${terms.plan} ${terms.billingCycle} for ${formatMoney(amount, currency)} by ${provider}`;
  return `Checkout ${_id}: ${order}, open until ${expiresAt.toISOString()}.`;
}

function describeInvoice({ _id, number, status, amount, currency }: InvoiceDocument): string {
  return `Invoice ${_id} ${number ?? 'without a number'}: ${formatMoney(amount, currency)}, ${status}.`;
}

declare module '../../../../lib/calls.ts' {
  interface Calls {
    'billing.console.show': typeof showOrganization;
  }
}
