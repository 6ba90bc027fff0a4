import { call } from '../../../lib/contract/context.ts';
import { day } from '../../../lib/data/clock.ts';
import { type InvoiceDocument, type InvoiceLine, InvoiceModel } from '../../../models/billing/invoice.ts';
import type { BillingCycle, Terms } from '../../../models/billing/sold-version.ts';
import type { Effect, OfProvider, PendingEffect, Period } from '../../../models/billing/subscription.ts';
import { invoiceId, issueInvoice, settleInvoice } from '../invoices/issue-invoice.ts';
import { find } from '../subscriptions/documents.ts';
import type { EffectHandler } from '../subscriptions/effects.ts';
import { titleOf } from '../subscriptions/transition.ts';

/** The term of payment of an invoice that is sent before it is paid; the subscription waits as long. */
const termOfPayment = 7 * day;

/** Issues the invoice of a purchase under the organization's present name. A paid purchase yields a paid invoice. */
export const issue: EffectHandler<'issueInvoice'> = async (ctx, orgId, effect) => {
  const { isPaid, currency, at } = effect;
  const { organization } = await call(ctx, 'identity.organizations.describe', { body: { orgId } });
  const invoice = await issueInvoice({
    orgId,
    key: keyOf(effect),
    currency,
    buyer: { name: organization?.name ?? orgId, address: [], taxId: null },
    lines: [lineOf(effect)],
    ...(!isPaid && { dueAt: new Date(at.getTime() + termOfPayment) }),
  });
  if (isPaid) await settleInvoice(invoice, 'paid', { paymentReference: effect.gatewaySubscriptionId });
};

/** Marks the invoice of a period as paid. Without an invoice here, the provider has issued it. */
export const settle: EffectHandler<'settleInvoice'> = async (_ctx, orgId, effect) => {
  await waitForInvoices(orgId, effect);
  const _id = invoiceId(orgId, periodKey(effect));
  await settleInvoice({ _id, orgId }, 'paid', { paymentReference: effect.gatewaySubscriptionId });
};

/** Gives up the open invoices of a subscription. */
export const writeOffInvoices: EffectHandler<'giveUpInvoices'> = async (_ctx, orgId, effect) => {
  const { gatewaySubscriptionId, status } = effect;
  await waitForInvoices(orgId, effect);
  const open = await InvoiceModel.find({ orgId, status: 'open' }, { key: 1 }).lean<
    Pick<InvoiceDocument, '_id' | 'key'>[]
  >();
  for (const { _id, key } of open) {
    if (key.startsWith(`${gatewaySubscriptionId}:`)) await settleInvoice({ _id, orgId }, status);
  }
};

/** The subscription and the period of an invoice; null for an invoice that is not of a whole period. */
export function subscriptionOf({
  key,
  lines,
}: InvoiceDocument): { gatewaySubscriptionId: string; period: Period } | null {
  const [gatewaySubscriptionId = '', ...end] = key.split(':');
  const period = lines[0]?.period;
  if (!period || end.join(':') !== period.end.toISOString()) return null;
  return { gatewaySubscriptionId, period };
}

type Issued = Extract<Effect, { kind: 'issueInvoice' }> & { id: string };

/** The idempotency key of an invoice: one for each period, and one for each upgrade. */
function keyOf(effect: Issued): string {
  return effect.reason === 'upgraded' ? `upgrade:${effect.id}` : periodKey(effect);
}

function periodKey({ gatewaySubscriptionId, period }: { gatewaySubscriptionId: string; period: Period }): string {
  return `${gatewaySubscriptionId}:${period.end.toISOString()}`;
}

function lineOf({ terms, formerTerms, period, amount }: Issued): Omit<InvoiceLine, 'amount'> {
  const isOther = formerTerms !== null && nameOf(formerTerms) !== nameOf(terms);
  const description = isOther ? `${nameOf(terms)}, in place of ${nameOf(formerTerms)}` : nameOf(terms);
  return { description, quantity: 1, unitAmount: amount, period };
}

const cycles: Record<BillingCycle, string> = { monthly: 'a month', yearly: 'a year' };

function nameOf({ plan, version, billingCycle }: Terms): string {
  return `Plan ${titleOf(plan, version)}, ${cycles[billingCycle]}`;
}

/**
 * Whether a period is still owed when its charge is tried or retried. It is not when the period has since been paid in
 * another way or written off, also while that effect is still pending.
 */
export async function isStillOwed(orgId: string, charge: PendingCharge): Promise<boolean> {
  const { id, gatewaySubscriptionId, period } = charge;
  const isOver = (await effectsOf(orgId, id)).later.some(
    (effect) =>
      (effect.kind === 'giveUpInvoices' || effect.kind === 'settleInvoice') &&
      effect.gatewaySubscriptionId === gatewaySubscriptionId &&
      (effect.kind === 'giveUpInvoices' || effect.period.end.getTime() === period.end.getTime()),
  );
  if (isOver) return false;
  const _id = invoiceId(orgId, periodKey(charge));
  const invoice = await InvoiceModel.findOne({ _id, orgId }, { status: 1 }).lean<Pick<InvoiceDocument, 'status'>>();
  return !invoice || invoice.status === 'draft' || invoice.status === 'open';
}

type PendingCharge = Extract<PendingEffect, { kind: 'charge' }>;

/** Effects run in order, but a failed one waits for its retry: an invoice that is not issued yet cannot be settled. */
async function waitForInvoices(
  orgId: string,
  { id, gatewaySubscriptionId }: OfProvider & { id: string },
): Promise<void> {
  const isWaiting = (await effectsOf(orgId, id)).earlier.some(
    (effect) => effect.kind === 'issueInvoice' && effect.gatewaySubscriptionId === gatewaySubscriptionId,
  );
  if (isWaiting) throw new Error('An invoice of the subscription is not issued yet.');
}

/** The effects that were queued before an effect, and after it. */
async function effectsOf(orgId: string, id: string): Promise<{ earlier: PendingEffect[]; later: PendingEffect[] }> {
  const effects = (await find(orgId))?.effects ?? [];
  const index = effects.findIndex((effect) => effect.id === id);
  return { earlier: effects.slice(0, Math.max(0, index)), later: effects.slice(index + 1) };
}
