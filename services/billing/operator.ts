import { z } from 'zod';
import { type CallOutput, type Ctx, call } from '../../lib/contract/context.ts';
import { type ConsoleOutput, defineCommand } from '../../lib/contract/define-command.ts';
import { idPattern } from '../../lib/data/ids.ts';
import { formatMoney } from '../../lib/format/money.ts';
import type { CheckoutDocument } from '../../models/billing/checkout.ts';
import { type InvoiceDocument, InvoiceModel } from '../../models/billing/invoice.ts';
import { type PlanName, planNames } from '../../models/billing/sold-version.ts';
import type { Subscription, SubscriptionDocument } from '../../models/billing/subscription.ts';
import { endCheckout, findCheckout, findOpen } from './checkouts/checkouts.ts';
import { completeWithoutProvider } from './checkouts/pay-on-page.ts';
import { settleInvoice } from './invoices/issue-invoice.ts';
import { applyEvents } from './payment/apply-payment-event.ts';
import { subscriptionOf } from './payment/effects-invoicing.ts';
import { find } from './subscriptions/documents.ts';
import { titleOf } from './subscriptions/transition.ts';

const typedId = z.strictObject({ id: z.string().max(100) });

/** Seconds of the units that one types: `+31d`, `+12h`, `+90m`. */
const units: Record<string, number> = { d: 24 * 3600, h: 3600, m: 60 };

/** `billing.console.clock`, for the console: moves the clock of billing, sets it back, or shows it. */
export const clock = defineCommand({
  commands: [
    {
      usage: 'billing:clock [change]',
      description: 'Move the clock of billing ahead (31d, 12h, 90m) or reset it; only with the test provider',
      changes: 'withArguments',
    },
  ],
  body: z.strictObject({ change: z.string().max(20).default('') }),
  limits: { milliseconds: 0 },
  async handler({ body: { change }, ctx }): Promise<ConsoleOutput> {
    if (change === 'reset') return tell(await call(ctx, 'billing.clock.reset', {}));
    const seconds = change === '' ? 0 : secondsOf(change);
    if (seconds === null) return { lines: ['Usage: billing:clock +31d | +12h | +90m | reset'] };
    return tell(await call(ctx, 'billing.clock.move', { body: { seconds } }));
  },
});

function secondsOf(change: string): number | null {
  const [, count = '', unit = ''] = /^\+?(\d{1,6})([dhm])$/.exec(change) ?? [];
  return count === '' ? null : Number(count) * (units[unit] ?? 0);
}

function tell({ now, offsetSeconds }: CallOutput<'billing.clock.move'>) {
  const distance = offsetSeconds === 0 ? 'the real time' : `${offsetSeconds} seconds ahead of the real time`;
  return { lines: [`Billing's clock is at ${now}, ${distance}.`] };
}

const orgPattern = idPattern('org');

/** `billing.console.give`, for the console: gives an organization a plan without payment. */
export const give = defineCommand({
  commands: [
    {
      usage: 'billing:give <organization> <plan>',
      description: 'Give an organization (org_…) a plan without payment',
      changes: true,
      fields: { organization: 'orgId' },
    },
  ],
  body: z.strictObject({ orgId: z.string(), plan: z.string() }),
  async handler({ body: { orgId, plan }, ctx }) {
    if (!orgPattern.test(orgId)) return { lines: [`${orgId} is not the id of an organization.`] };
    if (!isPlan(plan)) return { lines: [`There is no plan ${plan}. Plans: ${planNames.join(', ')}.`] };
    await call(ctx, 'billing.subscriptions.give', { body: { orgId, plan } });
    return { lines: [`${orgId} has the plan ${plan}, free of charge.`] };
  },
});

function isPlan(name: string): name is PlanName {
  return planNames.some((planName) => planName === name);
}

/**
 * `billing.console.pay`, for the console: the operator received the payment of a checkout or an invoice. Idempotent.
 */
export const pay = defineCommand({
  commands: [
    {
      usage: 'billing:pay <id>',
      description: 'Record that a checkout or an invoice (chk_…, ivc_…) was paid manually',
      changes: true,
    },
  ],
  body: typedId,
  async handler({ body: { id }, ctx }) {
    return id.startsWith('ivc_') ? await payInvoiceNamed(ctx, id) : await payCheckout(ctx, id);
  },
});

/** `billing.console.decline`, for the console: closes a checkout whose payment is no longer expected. */
export const decline = defineCommand({
  commands: [
    {
      usage: 'billing:decline <id>',
      description: 'Record that a checkout (chk_…) will not be paid manually',
      changes: true,
    },
  ],
  body: typedId,
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

async function payInvoiceNamed(ctx: Ctx, id: string): Promise<ConsoleOutput> {
  const invoice = await InvoiceModel.findOne({ _id: id }).setOptions({ acrossTenants: true }).lean<InvoiceDocument>();
  if (!invoice) return { lines: [`There is no invoice ${id}.`] };
  const { orgId, status, number, amount, currency } = invoice;
  if (!(await payInvoice(ctx, invoice))) return { lines: [`${id} is ${status}: no payment is due.`] };
  return { lines: [`${number} of ${orgId} is paid: ${formatMoney(amount, currency)}.`] };
}

/** Records that an invoice was paid manually, and renews its subscription: the paid invoice, null when no payment is due. */
export async function payInvoice(ctx: Ctx, invoice: InvoiceDocument): Promise<InvoiceDocument | null> {
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible') return null;
  const of = subscriptionOf(invoice);
  // A subscription that has ended since ignores the event.
  if (of) await applyEvents(ctx, invoice.orgId, [{ kind: 'renewed', ...of, amount: null }]);
  // The renewal may have settled it already; it may also have been voided since it was read.
  await settleInvoice(invoice, 'paid');
  const { orgId, _id } = invoice;
  return await InvoiceModel.findOne({ orgId, _id, status: 'paid' }).lean<InvoiceDocument>();
}

function notManual(id: string): ConsoleOutput {
  return { lines: [`There is no manually paid checkout ${id}.`] };
}

const shownInvoices = 10;

/** `billing.console.show`, for the console: an organization's subscription, open invoices and checkout. */
export const showOrganization = defineCommand({
  commands: [
    {
      usage: 'billing:show <organization>',
      description: 'The plan, open amounts and pending checkout of an organization (org_…)',
      fields: { organization: 'orgId' },
    },
  ],
  safe: true,
  body: z.strictObject({ orgId: z.string() }),
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
