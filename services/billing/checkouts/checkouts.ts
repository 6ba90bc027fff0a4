import { z } from 'zod';
import { type BrokerContext, type CallContext, call } from '../../../lib/contract/context.ts';
import { apiError, isError } from '../../../lib/contract/errors.ts';
import type { Operation } from '../../../lib/contract/idempotency.ts';
import { fromNow, hour, now } from '../../../lib/data/clock.ts';
import { insertIfAbsent } from '../../../lib/data/collection.ts';
import { isSigned, sign } from '../../../lib/security/encryption.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { type CheckoutDocument, CheckoutModel, type CheckoutStatus } from '../../../models/billing/checkout.ts';
import type { Subscription } from '../../../models/billing/subscription.ts';
import { now as billingNow, clockOffset } from '../clock.ts';
import type { Order } from '../payment/provider.ts';
import { providerNamed } from '../payment/providers.ts';
import { currentPlan, findPlan } from '../plans/plans.ts';
import type { ReturnUrls } from './open-checkout.ts';
import { isQuotedFrom, type Quote, quoteBasis } from './quotes.ts';

/** The open checkout of an organization, which has at most one; null when there is none. It may have expired. */
export function findOpen(orgId: string): Promise<CheckoutDocument | null> {
  return CheckoutModel.findOne({ orgId, slot: orgId }).lean<CheckoutDocument>().exec();
}

/** Finds a checkout across tenants. The caller must authorize the access, because an id is not a secret. */
export function findCheckout(checkoutId: string): Promise<CheckoutDocument | null> {
  return CheckoutModel.findOne({ _id: checkoutId }).setOptions({ acrossTenants: true }).lean<CheckoutDocument>().exec();
}

/** Inserts a checkout; false when the organization already has an open one. */
export function insertCheckout(checkout: CheckoutDocument): Promise<boolean> {
  return insertIfAbsent<CheckoutDocument>(CheckoutModel, checkout);
}

/** Whether the checkout has expired, or the period that its price is for has ended. */
export function isPastTime({ expiresAt, until }: Pick<CheckoutDocument, 'expiresAt' | 'until'>): boolean {
  return expiresAt <= now() || (until !== null && until <= billingNow());
}

type Named = Pick<CheckoutDocument, '_id' | 'orgId'>;

/** Changes an open checkout; false when it is no longer open. */
export async function updateOpen({ _id, orgId }: Named, changes: Partial<CheckoutDocument>): Promise<boolean> {
  const { matchedCount } = await CheckoutModel.updateOne(
    { _id, orgId, status: 'open' },
    { $set: { ...changes, updatedAt: now() } },
  );
  return matchedCount === 1;
}

/**
 * Ends an open checkout, which makes room for another; false when it had ended. `closeAt`: when to retry closing it at
 * its provider.
 */
export function endCheckout(
  checkout: Named,
  status: Exclude<CheckoutStatus, 'open'>,
  options: { closeAt?: Date } = {},
): Promise<boolean> {
  return updateOpen(checkout, { status, slot: checkout._id, ...options });
}

/** Completes a paid checkout from any status; false when it was completed already. */
export async function completeCheckout({ _id, orgId }: Named): Promise<boolean> {
  const { matchedCount } = await CheckoutModel.updateOne(
    { _id, orgId, status: { $ne: 'completed' } },
    { $set: { status: 'completed', slot: _id, updatedAt: now() } },
  );
  return matchedCount === 1;
}

const purpose = 'link to the page of a checkout';

/** The parameters of the link to the page of a checkout. */
export const checkoutLinkParams = z.strictObject({ sessionId: z.string(), signature: z.string() });

/**
 * The address of the platform's page of a checkout, the same each time. It is a bearer credential: its holder may pay,
 * or have the stored card charged. The id alone, which is logged and recorded, opens nothing.
 */
export function pageLink(checkoutId: string): string {
  const query = new URLSearchParams({ signature: sign(purpose, checkoutId) });
  return `${settings.PUBLIC_URL}/billing/checkout/${checkoutId}?${query}`;
}

/**
 * The checkout that a link leads to.
 *
 * @throws NOT_FOUND {@link pageLink} did not make it, whether or not there is such a checkout.
 */
export async function resolveCheckoutLink({
  sessionId,
  signature,
}: z.output<typeof checkoutLinkParams>): Promise<CheckoutDocument> {
  const checkout = isSigned(purpose, sessionId, signature) ? await findCheckout(sessionId) : null;
  if (!checkout) throw apiError('NOT_FOUND');
  return checkout;
}

/** The quote of a checkout, and the subscription that it was computed from. */
type CheckoutRequest = Quote & ReturnUrls & { subscription: Subscription };

/** The lifetime of a checkout, unless the provider sets one. */
const lifetime = 2 * hour;
/** The maximum of attempts; each retry follows a concurrent request of the organization. */
const maxAttempts = 20;

/** A checkout to pay, and whether it is a new one. */
export type Opened = { checkout: CheckoutDocument; isNew: boolean };

/**
 * Finds or opens the organization's checkout for a request. A checkout that is open for something else is replaced. Of
 * concurrent calls for the same one opens the checkout, and all get the same.
 *
 * @throws UNAVAILABLE the provider could not be reached; the next call resumes.
 * @throws CONFLICT a call for something else replaced the checkout before the provider had it. To replace that in turn
 *   would leave two such calls without an answer for as long as the provider takes longer than they do.
 */
export async function openCheckout(
  ctx: CallContext & BrokerContext,
  orgId: string,
  request: CheckoutRequest,
  operation: Operation,
): Promise<Opened> {
  for (let tries = 0; tries < maxAttempts; tries += 1) {
    const open = await findOpen(orgId);
    if (open && !isFor(open, request)) {
      const end = isPastTime(open) ? 'expired' : 'closed';
      // At a provider that is down the payer cannot pay. One that works would let the payer pay on both pages.
      await (open.provider === request.provider ? cancelCheckout(open, end) : cancelOrDefer(open, end));
      continue;
    }
    const checkout = open ?? compose(orgId, request, operation);
    if (!open && !(await insertCheckout(checkout))) continue;
    const ready = checkout.isReady ? checkout : await prepareCheckout(ctx, checkout);
    if (!ready) break;
    return { checkout: ready, isNew: !open };
  }
  throw apiError('CONFLICT');
}

/**
 * The checkout that an earlier run of an operation created, opened at its provider; null when it created none. A
 * checkout that has since ended is returned unchanged.
 */
export async function resumeCheckout(
  ctx: CallContext & BrokerContext,
  orgId: string,
  operation: Operation,
): Promise<CheckoutDocument | null> {
  const made = { orgId, _id: operation.newId('chk') };
  const checkout = await CheckoutModel.findOne(made).lean<CheckoutDocument>();
  if (!checkout || checkout.isReady || checkout.status !== 'open') return checkout;
  return (await prepareCheckout(ctx, checkout)) ?? checkout;
}

/** Ends an unfinished checkout, at its provider too. A payment that arrives concurrently still counts. */
export async function cancelCheckout(checkout: CheckoutDocument, status: 'expired' | 'closed'): Promise<void> {
  await closeAtProvider(checkout);
  await endCheckout(checkout, status);
}

/** Ends an unfinished checkout. If its provider is down, the sweep closes the provider's page later. */
export async function cancelOrDefer(checkout: CheckoutDocument, status: 'expired' | 'closed'): Promise<void> {
  try {
    await cancelCheckout(checkout, status);
  } catch (error) {
    if (!isError(error, 'UNAVAILABLE')) throw error;
    await endCheckout(checkout, status, { closeAt: now() });
  }
}

/** Closes a checkout's page at its provider, if it has one there. */
export async function closeAtProvider({ _id, orgId, provider, gatewayCheckoutId }: CheckoutDocument): Promise<void> {
  if (gatewayCheckoutId === null) return;
  const { closeCheckout } = await providerNamed(provider);
  await closeCheckout({ key: `${_id}:close`, orgId, gatewayCheckoutId });
}

/**
 * Whether a checkout is for the same request of the same subscription. The amount is not compared: the price of an
 * upgrade falls by the minute, and the first quote holds.
 */
function isFor(checkout: CheckoutDocument, request: CheckoutRequest): boolean {
  const isSame = (['kind', 'provider', 'currency', 'gatewaySubscriptionId', 'successUrl', 'cancelUrl'] as const).every(
    (name) => checkout[name] === request[name],
  );
  const areSameTerms = (['plan', 'version', 'billingCycle'] as const).every(
    (name) => checkout.terms[name] === request.terms[name],
  );
  return isSame && areSameTerms && !isPastTime(checkout) && isQuotedFrom(checkout, request.subscription);
}

function compose(orgId: string, request: CheckoutRequest, operation: Operation): CheckoutDocument {
  const { kind, provider, terms, currency, amount, gatewaySubscriptionId, successUrl, cancelUrl, until } = request;
  const at = now();
  return {
    _id: operation.newId('chk'),
    orgId,
    slot: orgId,
    status: 'open',
    kind,
    provider,
    terms,
    currency,
    amount,
    gatewaySubscriptionId,
    successUrl,
    cancelUrl,
    // A change without a payment does not reach the provider before it is confirmed.
    isReady: kind === 'change',
    gatewayCheckoutId: null,
    url: null,
    isChallenged: false,
    isConfirmed: false,
    until,
    from: quoteBasis(request.subscription),
    expiresAt: noLater(fromNow(lifetime), until),
    createdAt: at,
    updatedAt: at,
  };
}

/** The earlier of an instant and one of billing's clock. */
function noLater(at: Date, until: Date | null): Date {
  const end = until && new Date(until.getTime() - clockOffset());
  return end && end < at ? end : at;
}

/** Opens the checkout at the provider, idempotently; null when it was ended concurrently. */
async function prepareCheckout(
  ctx: CallContext & BrokerContext,
  checkout: CheckoutDocument,
): Promise<CheckoutDocument | null> {
  const opened = await openAtProvider(ctx, checkout);
  const ready = { ...opened, expiresAt: noLater(opened.expiresAt, checkout.until), isReady: true };
  if (await updateOpen(checkout, ready)) return { ...checkout, ...ready };
  await cancelCheckout({ ...checkout, ...ready }, 'closed');
  return null;
}

async function openAtProvider(ctx: CallContext & BrokerContext, checkout: CheckoutDocument) {
  const order = await orderOf(ctx, checkout);
  try {
    const provider = await providerNamed(checkout.provider);
    return await provider.openCheckout(order);
  } catch (cause) {
    ctx.broker.logger.error('Opening a checkout at the payment provider failed', {
      checkoutId: checkout._id,
      error: cause,
    });
    if (isError(cause, 'UNAVAILABLE')) throw cause;
    throw apiError('UNAVAILABLE', { cause, headers: { 'Retry-After': '5' } });
  }
}

/** The order sent to the provider. It is the same for every attempt. */
export async function orderOf(ctx: CallContext, checkout: CheckoutDocument): Promise<Order> {
  const { _id, orgId, kind, terms, currency, amount, gatewaySubscriptionId, successUrl, cancelUrl, expiresAt } =
    checkout;
  const [{ organization }, { owners }] = await Promise.all([
    call(ctx, 'identity.organizations.describe', { body: { orgId } }),
    call(ctx, 'identity.organizations.owners', { body: { orgId } }),
  ]);
  if (!organization) throw apiError('NOT_FOUND');
  return {
    checkoutId: _id,
    orgId,
    organizationName: organization.name,
    email: owners[0]?.email ?? null,
    terms,
    title: (findPlan(terms.plan, terms.version) ?? currentPlan(terms.plan)).title,
    currency,
    amount,
    gatewaySubscriptionId,
    isOverdue: kind === 'purchase' && gatewaySubscriptionId !== null,
    successUrl,
    cancelUrl,
    expiresAt,
  };
}
