import { z } from 'zod';
import { call } from '../../../lib/contract/context.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { timestamp } from '../../../lib/contract/input.ts';
import { type CheckoutDocument, checkoutStatuses } from '../../../models/billing/checkout.ts';
import { billingCycles, taxBehavior } from '../../../models/billing/sold-version.ts';
import type { Subscription } from '../../../models/billing/subscription.ts';
import { now } from '../clock.ts';
import { currentIssuer, includedTax } from '../invoices/issue-invoice.ts';
import { isSandboxActive } from '../payment/choice.ts';
import { findPlan } from '../plans/plans.ts';
import { sellerSettings } from '../settings.ts';
import { next } from '../subscriptions/state.ts';
import { readSubscription } from '../subscriptions/subscriptions.ts';
import { titleOf, unpaidUseAt } from '../subscriptions/transition.ts';
import { checkoutLinkParams, isPastTime, resolveCheckoutLink } from './checkouts.ts';
import { completionOf } from './pay-on-page.ts';

/** The content of the platform's page of a checkout. */
const shownCheckout = z.strictObject({
  status: z.enum(checkoutStatuses),
  /**
   * `test`: the payer chooses the outcome. `manual`: they read what to pay. `upgrade`, `covered`, `change`: they
   * confirm; with `covered` the credit of the present plan pays for all of it. `elsewhere`: they pay at the provider,
   * at `url`. `waiting`: they confirmed, and the provider has not reported the outcome.
   */
  page: z.enum(['test', 'manual', 'upgrade', 'covered', 'change', 'elsewhere', 'waiting']),
  organizationName: z.string(),
  /** The plan's name for people. */
  title: z.string(),
  billingCycle: z.enum(billingCycles),
  /** The amount due now, in the currency's minor unit. */
  amount: z.int(),
  currency: z.string(),
  /** Whether the amount includes tax. */
  taxBehavior: z.literal(taxBehavior),
  /** When a change takes effect; null for immediately. */
  countsFrom: z.string().nullable(),
  /** Until when the credit of the present plan covers the new one; null when a payment is due. */
  coveredUntil: timestamp.nullable(),
  /** The price of a whole period, in the same unit; more than `amount` when a part of it is already paid. */
  price: z.int(),
  /** The tax that `amount` includes; null without one. */
  tax: z.strictObject({ name: z.string(), rate: z.string(), amount: z.int() }).nullable(),
  /** The period that is paid. Null where it is known only later: after a transfer, and at other providers. */
  period: z.strictObject({ start: timestamp, end: timestamp }).nullable(),
  /** Whether that period has begun: the last payment failed, or what was used before was not paid. */
  hasBegun: z.boolean(),
  /** Whether it keeps the present plan and revokes a scheduled change. */
  isKept: z.boolean(),
  isChallenged: z.boolean(),
  sellerName: z.string(),
  url: z.string().nullable(),
  successUrl: z.string(),
  cancelUrl: z.string(),
});

/** `billing.checkouts.show`, for the page of a checkout: what to pay or to confirm. */
export const readCheckoutPage = defineAction({
  summary: 'Show a checkout to its payer',
  permission: 'internal',
  safe: true,
  input: { body: checkoutLinkParams },
  output: shownCheckout,
  errors: ['NOT_FOUND'],
  async handler({ body, ctx }): Promise<z.output<typeof shownCheckout>> {
    const checkout = await resolveCheckoutLink(body);
    const { orgId, terms, amount, currency, isChallenged, url, successUrl, cancelUrl } = checkout;
    const [{ organization }, { subscription }] = await Promise.all([
      call(ctx, 'identity.organizations.describe', { body: { orgId } }),
      readSubscription(ctx, orgId),
    ]);
    if (!organization) throw apiError('NOT_FOUND');
    const page = pageOf(checkout);
    const period = periodOf(subscription, checkout);
    return {
      status: statusOf(checkout),
      page,
      organizationName: organization.name,
      title: titleOf(terms.plan, terms.version),
      billingCycle: terms.billingCycle,
      amount,
      currency,
      taxBehavior,
      coveredUntil: page === 'covered' ? (period?.end ?? null) : null,
      countsFrom: checkout.kind === 'change' ? subscription.currentPeriodEnd.toISOString() : null,
      price: findPlan(terms.plan, terms.version)?.prices[terms.billingCycle][currency] ?? amount,
      tax: taxOf(amount),
      period,
      hasBegun: hasBegun(subscription, checkout),
      isKept: subscription.plan === terms.plan && subscription.billingCycle === terms.billingCycle,
      isChallenged,
      sellerName: sellerSettings.SELLER_NAME,
      url,
      successUrl,
      cancelUrl,
    };
  },
});

/** The status as of now: a checkout past its time has expired, also before the sweep has written that. */
export function statusOf(checkout: CheckoutDocument): CheckoutDocument['status'] {
  const { status, provider, kind } = checkout;
  if (status !== 'open') return status;
  const isGone = provider === 'test' && kind !== 'change' && !isSandboxActive();
  return isGone || isPastTime(checkout) ? 'expired' : 'open';
}

type CheckoutPage = z.output<typeof shownCheckout>['page'];

function taxOf(amount: number) {
  const { taxRate } = currentIssuer();
  if (!taxRate) return null;
  const { name, rate, amount: tax } = includedTax(amount, taxRate);
  return { name, rate, amount: tax };
}

/** The period that a payment on the platform's own page is for. After a transfer it begins when the money arrives. */
function periodOf(subscription: Subscription, checkout: CheckoutDocument) {
  const { kind, url, provider } = checkout;
  if (kind === 'change' || url !== null || !isOfPlatform(provider) || statusOf(checkout) !== 'open') return null;
  if (provider === 'manual' && checkout.amount > 0 && !hasBegun(subscription, checkout)) return null;
  const { currentPeriodStart, currentPeriodEnd } = next(subscription, completionOf(checkout), now()).subscription;
  return { start: currentPeriodStart.toISOString(), end: currentPeriodEnd.toISOString() };
}

function hasBegun(subscription: Subscription, { kind, url }: CheckoutDocument): boolean {
  return kind === 'purchase' && url === null && unpaidUseAt(subscription, now()) !== null;
}

/** Which page a checkout shows. */
export function pageOf({ kind, provider, amount, url, isConfirmed }: CheckoutDocument): CheckoutPage {
  if (kind === 'change') return 'change';
  if (isOfPlatform(provider) && kind === 'upgrade' && amount === 0) return 'covered';
  if (url !== null) return 'elsewhere';
  if (isConfirmed) return 'waiting';
  return isOfPlatform(provider) ? provider : 'upgrade';
}

/** Whether the platform itself has the page of a provider's payments. */
function isOfPlatform(provider: string): provider is 'test' | 'manual' {
  return provider === 'test' || provider === 'manual';
}
