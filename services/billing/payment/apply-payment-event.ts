import type { Logger } from 'moleculer';
import { recordAuditEvent } from '../../../lib/clients/audit.ts';
import type { Ctx } from '../../../lib/contract/context.ts';
import type { CheckoutDocument } from '../../../models/billing/checkout.ts';
import type { Subscription } from '../../../models/billing/subscription.ts';
import { completeCheckout, endCheckout, findCheckout } from '../checkouts/checkouts.ts';
import { type Changed, changeSubscription, findHolder } from '../subscriptions/subscriptions.ts';
import { isRunning, type SubscriptionEvent } from '../subscriptions/transition.ts';
import type { FailedRefund, PaymentEvent } from './provider.ts';

/** The new subscription, its revision, and how many of the revisions before it are of the same call. */
export type ApplyResult = { subscription: Subscription; revision: number; changes: number };

/** Applies events to an organization's subscription in order and records the change; null for an empty list. */
export async function applyEvents(ctx: Ctx, orgId: string, events: SubscriptionEvent[]): Promise<ApplyResult | null> {
  let applied: ApplyResult | null = null;
  let changes = 0;
  for (const event of events) {
    const { subscription, revision, isChanged } = await applyEvent(ctx, orgId, event);
    changes += isChanged ? 1 : 0;
    applied = { subscription, revision, changes };
  }
  return applied;
}

async function applyEvent(ctx: Ctx, orgId: string, event: SubscriptionEvent): Promise<Changed> {
  const changed = await changeSubscription(ctx, orgId, () => event);
  await recordChange(ctx, orgId, changed);
  return changed;
}

/** Records a change of the subscription, unless it looks the same to the organization. */
export async function recordChange(ctx: Ctx, orgId: string, changed: Changed): Promise<void> {
  const [previous, present] = [describe(changed.former), describe(changed.subscription)];
  if (!changed.isChanged || JSON.stringify(previous) === JSON.stringify(present)) return;
  await recordAuditEvent(ctx, {
    action: 'subscription.changed',
    orgId,
    target: { type: 'subscription', id: orgId },
    before: previous,
    after: present,
  });
}

function describe({ plan, version, billingCycle, status, provider, scheduled }: Subscription): Record<string, unknown> {
  const next = scheduled && { plan: scheduled.plan, billingCycle: scheduled.billingCycle };
  return { plan, version, billingCycle, status, provider, scheduled: next };
}

/**
 * The outcome of a payment event. `unmatched`: no organization has its checkout or subscription. `unknown`: the provider
 * does not know its subject. `nothing`: it changes no subscription. `others`: it belongs to another system in the same
 * provider account.
 */
export type Outcome = ApplyResult | 'unmatched' | 'unknown' | 'nothing' | 'others';

/** The maximum of attempts; each retry follows a change of the subscription during the query to the provider. */
const maxAttempts = 10;

/** The subject of a request to the provider, by the subscription's id there; null where the answer cannot be stale. */
export type PaymentQuery = { provider: string; subject: string | null };

/**
 * Queries the provider and applies the answer. If the subscription changes during the query, on any node, the query is
 * repeated, so that a stale answer is not applied last.
 */
export async function fetchAndApply(
  ctx: Ctx,
  { provider, subject }: PaymentQuery,
  ask: () => Promise<PaymentEvent | null>,
): Promise<Outcome> {
  for (let times = 0; times < maxAttempts; times += 1) {
    const holder = subject === null ? null : await findHolder(provider, subject);
    const paymentEvent = await ask();
    const outcome = paymentEvent ? await applyPaymentEvent(ctx, provider, paymentEvent) : 'nothing';
    if (typeof outcome === 'string' || subject === null) return outcome;
    // Without a holder no revision can be compared, and a concurrent change would go unnoticed: query once more.
    const isUnchanged = holder ? outcome.revision - outcome.changes === holder.revision : times > 0;
    if (isUnchanged) return outcome;
  }
  throw new Error(`The subscription of ${subject} changed during each query to ${provider}.`);
}

/** Applies a payment event to the checkout and the subscription that it names. Idempotent. */
export async function applyPaymentEvent(ctx: Ctx, provider: string, paymentEvent: PaymentEvent): Promise<Outcome> {
  if (paymentEvent.isUnknown) return 'unknown';
  if (paymentEvent.isOfOthers) return 'others';
  if (paymentEvent.notGivenBack) flagForOperator(ctx.broker.logger, paymentEvent.notGivenBack);
  if (paymentEvent.events.length === 0 && !paymentEvent.isCheckoutOver) return 'nothing';
  const checkout = await checkoutOf(provider, paymentEvent);
  const orgId = checkout?.orgId ?? (await organizationOf(provider, paymentEvent));
  if (orgId === null) return 'unmatched';
  const applied = await applyEvents(ctx, orgId, paymentEvent.events);
  if (checkout) await settle(checkout, paymentEvent, applied?.subscription ?? null);
  return applied ?? 'nothing';
}

async function checkoutOf(provider: string, { checkoutId }: PaymentEvent): Promise<CheckoutDocument | null> {
  const checkout = checkoutId === null ? null : await findCheckout(checkoutId);
  return checkout?.provider === provider ? checkout : null;
}

async function organizationOf(provider: string, { gatewaySubscriptionId }: PaymentEvent): Promise<string | null> {
  const holder = gatewaySubscriptionId === null ? null : await findHolder(provider, gatewaySubscriptionId);
  return holder?.orgId ?? null;
}

/** A payment completes its checkout even after the checkout had ended. */
async function settle(
  checkout: CheckoutDocument,
  paymentEvent: PaymentEvent,
  subscription: Subscription | null,
): Promise<void> {
  const isPaid = paymentEvent.events.some(
    (event) => event.kind === 'checkoutCompleted' && event.checkoutId === checkout._id,
  );
  if (isPaid || (checkout.isConfirmed && subscription && has(subscription, checkout))) {
    await completeCheckout(checkout);
  } else if (paymentEvent.isCheckoutOver) {
    await endCheckout(checkout, 'closed');
  }
}

/** An incomplete first payment has the terms already, but the plan is not running yet. */
function has(subscription: Subscription, { terms }: CheckoutDocument): boolean {
  const { plan, billingCycle } = subscription;
  return plan === terms.plan && billingCycle === terms.billingCycle && isRunning(subscription);
}

/** Reports a payment that only an operator can refund. */
export function flagForOperator(logger: Logger, payment: FailedRefund): void {
  logger.error('A payment for a deleted organization must be refunded manually', payment);
}
