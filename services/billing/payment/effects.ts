import { randomUUID } from 'node:crypto';
import { leaseFromNow, leaseNow, minute } from '../../../lib/data/clock.ts';
import { nativeCollection } from '../../../lib/data/collection.ts';
import {
  type PendingEffect,
  type Subscription,
  type SubscriptionDocument,
  SubscriptionModel,
} from '../../../models/billing/subscription.ts';
import { mailOwners } from '../mail-owners.ts';
import { find } from '../subscriptions/documents.ts';
import type { EffectHandler, EffectHandlers } from '../subscriptions/effects.ts';
import { termsOf } from '../subscriptions/transition.ts';
import { applyEvents, fetchAndApply, flagForOperator } from './apply-payment-event.ts';
import { isStillOwed, issue, settle, writeOffInvoices } from './effects-invoicing.ts';
import type { Change, PaymentProvider } from './provider.ts';
import { providerNamed } from './providers.ts';

/** Charges a period while it is owed. An outcome in the answer is applied immediately. */
export const charge: EffectHandler<'charge'> = async (ctx, orgId, effect) => {
  if (!(await isStillOwed(orgId, effect))) return;
  const { id: key, gatewaySubscriptionId, period, amount, currency } = effect;
  const provider = await providerNamed(effect.provider);
  const outcome = await provider.charge({ key, orgId, gatewaySubscriptionId, period, amount, currency });
  if (outcome === 'paid') await applyEvents(ctx, orgId, [{ kind: 'renewed', gatewaySubscriptionId, period, amount }]);
  if (outcome === 'failed') await applyEvents(ctx, orgId, [{ kind: 'paymentFailed', gatewaySubscriptionId, period }]);
};

/** Reads the state of a subscription that the provider renews by itself. */
export const read: EffectHandler<'readProvider'> = async (ctx, orgId, { provider: name, gatewaySubscriptionId }) => {
  const provider = await providerNamed(name);
  const outcome = await fetchAndApply(ctx, { provider: name, subject: gatewaySubscriptionId }, () =>
    provider.read(gatewaySubscriptionId),
  );
  if (outcome !== 'unknown') return;
  ctx.broker.logger.warn('Subscription unknown to its provider', { orgId, provider: name, gatewaySubscriptionId });
};

export const end: EffectHandler<'endAtProvider'> = async (
  _ctx,
  _orgId,
  { id: key, gatewaySubscriptionId, provider },
) => {
  await (await providerNamed(provider)).end({ key, gatewaySubscriptionId });
};

/** Refunds a payment that bought nothing. Where the provider cannot refund, it is reported to the operator. */
export const refund: EffectHandler<'refundAtProvider'> = async ({ broker: { logger } }, orgId, effect) => {
  const { id: key, provider: name, gatewaySubscriptionId, checkoutId, amount, currency } = effect;
  const provider = await providerNamed(name);
  const outcome = await provider.refund?.({ key, orgId, gatewaySubscriptionId, checkoutId });
  const ids = { orgId, provider: provider.name, gatewaySubscriptionId, checkoutId };
  if (outcome === 'refunded') logger.warn('Refunded a payment for a deleted organization', ids);
  else flagForOperator(logger, { ...ids, amount, currency });
};

/** Longer than one dispatch takes: some ten calls of a provider, each with its retries. */
const lease = 15 * minute;
/** The maximum of attempts; each retry follows a change of the desired state. */
const maxAttempts = 10;

/**
 * Dispatches an organization's desired state to its provider, until `dispatch` returns that the state did not change
 * during the call. One run at a time holds the lease across all nodes, so that a slow call cannot arrive after a later
 * one.
 *
 * @throws Error another run holds the lease. It sends the newest state; the caller retries later.
 */
export async function withDispatchLease(orgId: string, dispatch: () => Promise<boolean>): Promise<void> {
  const id = randomUUID();
  try {
    for (let times = 0; times < maxAttempts; times += 1) {
      if (!(await claim(orgId, id))) throw new Error('Another run is dispatching the desired state.');
      if (await dispatch()) return;
    }
    throw new Error('The desired state changed during each dispatch to the provider.');
  } finally {
    await collection().updateOne({ _id: orgId, orgId, 'teller.id': id }, { $unset: { teller: '' } });
  }
}

async function claim(orgId: string, id: string): Promise<boolean> {
  const free = [{ teller: { $exists: false } }, { 'teller.until': { $lte: leaseNow() } }, { 'teller.id': id }];
  const claimed = { $set: { teller: { id, until: leaseFromNow(lease) } } };
  return (await collection().updateOne({ _id: orgId, orgId, $or: free }, claimed)).matchedCount === 1;
}

const collection = () => nativeCollection<SubscriptionDocument>(SubscriptionModel);

/** Mails the owners of an organization, each once. */
export const mail: EffectHandler<'mail'> = (ctx, orgId, { id, template, variables }) =>
  mailOwners(ctx, orgId, { key: `billing:${id}`, template, variables: () => variables });

/** A part of a subscription's desired state, and the call that sends it to the provider. */
type DesiredState = {
  of: (subscription: Subscription) => unknown;
  send: (provider: PaymentProvider, change: Change, subscription: Subscription) => Promise<void>;
};

type ProviderEffect = Extract<
  PendingEffect,
  { kind: 'cancelAtProvider' | 'resumeAtProvider' | 'changePlanAtProvider' }
>;

/**
 * Reconciles whether the subscription ends with its period. The effect is only a trigger: the present state is sent.
 */
export function reconcileEnd(_ctx: unknown, orgId: string, effect: ProviderEffect): Promise<void> {
  return reconcile(orgId, effect, {
    of: ({ cancelAtPeriodEnd }) => cancelAtPeriodEnd,
    send: (provider, change, { cancelAtPeriodEnd, cancelReason: reason }) =>
      cancelAtPeriodEnd ? provider.cancelAtPeriodEnd({ ...change, reason }) : provider.resume(change),
  });
}

/** Reconciles the plan of the next period. */
export function reconcilePlan(_ctx: unknown, orgId: string, effect: ProviderEffect): Promise<void> {
  return reconcile(orgId, effect, {
    of: nextTermsOf,
    async send(provider, change, subscription) {
      const { currency } = subscription;
      if (currency) await provider.changePlan({ ...change, to: nextTermsOf(subscription), currency });
    },
  });
}

/** Sends the desired state to the provider, then reads it again: it may have changed during the call. */
async function reconcile(orgId: string, effect: ProviderEffect, desired: DesiredState): Promise<void> {
  const { id, gatewaySubscriptionId } = effect;
  const provider = await providerNamed(effect.provider);
  await withDispatchLease(orgId, async () => {
    const { subscription, revision } = await currentOf(orgId, gatewaySubscriptionId);
    // A retry of one state has the same key. The same state at a later revision is a new call.
    const change = { key: `${id}:${revision}`, gatewaySubscriptionId };
    // If the subscription has ended here, end it at the provider.
    await (subscription ? desired.send(provider, change, subscription) : provider.end(change));
    const after = (await currentOf(orgId, gatewaySubscriptionId)).subscription;
    return JSON.stringify(after && desired.of(after)) === JSON.stringify(subscription && desired.of(subscription));
  });
}

const nextTermsOf = (subscription: Subscription) => termsOf(subscription.scheduled ?? subscription);

/** The organization's subscription; null when its present one has another id at the provider. */
async function currentOf(orgId: string, gatewaySubscriptionId: string) {
  const document = await find(orgId);
  const isCurrent = document?.subscription.gatewaySubscriptionId === gatewaySubscriptionId;
  return { subscription: isCurrent ? document.subscription : null, revision: document?.revision ?? 0 };
}

/** The handlers of the effects of a subscription's change. */
export const effectHandlers: EffectHandlers = {
  issueInvoice: issue,
  settleInvoice: settle,
  giveUpInvoices: writeOffInvoices,
  charge,
  readProvider: read,
  cancelAtProvider: reconcileEnd,
  resumeAtProvider: reconcileEnd,
  changePlanAtProvider: reconcilePlan,
  endAtProvider: end,
  refundAtProvider: refund,
  mail,
};
