import { defineAction } from '../../../../lib/action.ts';
import type { Ctx } from '../../../../lib/caller.ts';
import { formatMoney } from '../../../../lib/money.ts';
import { type ConsoleOutput, consoleOutput } from '../../../../lib/said.ts';
import { type InvoiceDocument, InvoiceModel } from '../../../../models/billing/invoice.ts';
import { settleInvoice } from '../../invoices/issue-invoice.ts';
import { titleOf } from '../../subscriptions/transition.ts';
import { applyEvents } from '../apply-events.ts';
import { completeWithoutProvider } from '../checkouts/complete.ts';
import { endCheckout, findCheckout } from '../checkouts/documents.ts';
import { subscriptionOf } from '../effects/invoicing.ts';
import { typedId } from './typed-id.ts';

/**
 * `billing.console.pay`, for the console: the operator received the payment of a checkout or an invoice. Idempotent.
 */
export const pay = defineAction({
  summary: 'Note that a checkout or an invoice was paid',
  permission: 'internal',
  input: { body: typedId },
  output: consoleOutput,
  async handler({ body: { id }, ctx }) {
    return id.startsWith('ivc_') ? await payInvoice(ctx, id) : await payCheckout(ctx, id);
  },
});

/** `billing.console.decline`, for the console: closes a checkout whose payment is no longer expected. */
export const decline = defineAction({
  summary: 'Note that a checkout will not be paid',
  permission: 'internal',
  input: { body: typedId },
  output: consoleOutput,
  async handler({ body: { id } }) {
    const checkout = await findCheckout(id);
    if (checkout?.provider !== 'manual') return notManual(id);
    const isDone = await endCheckout(checkout, 'closed');
    return { lines: [isDone ? `${id} is closed.` : `${id} is not open: it is ${checkout.status}.`] };
  },
});

async function payCheckout(ctx: Ctx, id: string): Promise<ConsoleOutput> {
  const checkout = await findCheckout(id);
  if (checkout?.provider !== 'manual' || checkout.kind === 'change') return notManual(id);
  const { orgId, terms, amount, currency } = checkout;
  if (checkout.status === 'completed') return { lines: [`${id} is already paid.`] };
  const money = formatMoney(amount, currency);
  switch (await completeWithoutProvider(ctx, checkout)) {
    case 'gone':
      return { lines: [`${orgId} was deleted: refund ${money}.`] };
    case 'changed':
      return {
        lines: [`${id} is out of date: the subscription of ${orgId} has changed since. Open a new checkout.`],
      };
    case 'had': {
      const title = titleOf(terms.plan, terms.version);
      return { lines: [`${orgId} has the plan ${title}, ${terms.billingCycle}: ${money} paid.`] };
    }
  }
}

async function payInvoice(ctx: Ctx, id: string): Promise<ConsoleOutput> {
  const invoice = await InvoiceModel.findOne({ _id: id }).setOptions({ acrossTenants: true }).lean<InvoiceDocument>();
  if (!invoice) return { lines: [`There is no invoice ${id}.`] };
  const { orgId, status, number, amount, currency } = invoice;
  if (status !== 'open' && status !== 'uncollectible') return { lines: [`${id} is ${status}: no payment is due.`] };
  const of = subscriptionOf(invoice);
  // A subscription that has ended since ignores the event.
  if (of) await applyEvents(ctx, orgId, [{ kind: 'renewed', ...of, amount: null }]);
  await settleInvoice(invoice, 'paid');
  return { lines: [`${number} of ${orgId} is paid: ${formatMoney(amount, currency)}.`] };
}

function notManual(id: string): ConsoleOutput {
  return { lines: [`There is no manually paid checkout ${id}.`] };
}

declare module '../../../../lib/calls.ts' {
  interface Calls {
    'billing.console.pay': typeof pay;
    'billing.console.decline': typeof decline;
  }
}
