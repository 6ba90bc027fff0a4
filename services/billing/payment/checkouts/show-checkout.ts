import { z } from 'zod';
import { defineAction } from '../../../../lib/action.ts';
import { call } from '../../../../lib/calls.ts';
import { fail } from '../../../../lib/errors.ts';
import { settings } from '../../../../lib/settings.ts';
import { type CheckoutDocument, checkoutStatuses } from '../../../../models/billing/checkout.ts';
import { billingCycles } from '../../../../models/billing/sold-version.ts';
import { readSubscription } from '../../subscriptions/subscriptions.ts';
import { titleOf } from '../../subscriptions/transition.ts';
import { isTestInUse } from '../choice.ts';
import { findCheckout, isPastTime } from './documents.ts';

/** How the platform's page of a checkout is to look, and what it says. */
const shownCheckout = z.strictObject({
  status: z.enum(checkoutStatuses),
  /**
   * `test`: the payer says what becomes of the payment. `manual`: they read what to pay. `upgrade`, `change`: they
   * confirm. `elsewhere`: they pay at the provider, at `url`. `waiting`: they confirmed, and the provider's word is missing.
   */
  page: z.enum(['test', 'manual', 'upgrade', 'change', 'elsewhere', 'waiting']),
  organizationName: z.string(),
  /** The plan's name for people. */
  title: z.string(),
  billingCycle: z.enum(billingCycles),
  /** What is due now, in the currency's minor unit. */
  amount: z.int(),
  currency: z.string(),
  /** When a change counts; null for what counts at once. */
  countsFrom: z.string().nullable(),
  /** Whether it is what the organization has, which was to become something else. */
  isKept: z.boolean(),
  isChallenged: z.boolean(),
  sellerName: z.string(),
  url: z.string().nullable(),
  successUrl: z.string(),
  cancelUrl: z.string(),
});

/** `billing.checkouts.show`, for the page of a checkout: what there is to pay or to confirm. */
export const showCheckout = defineAction({
  summary: 'Show a checkout to its payer',
  permission: 'internal',
  input: { body: z.strictObject({ sessionId: z.string() }) },
  output: shownCheckout,
  errors: ['NOT_FOUND'],
  async handler({ body: { sessionId }, ctx }): Promise<z.output<typeof shownCheckout>> {
    const checkout = await findCheckout(sessionId);
    if (!checkout) throw fail('NOT_FOUND');
    const { orgId, terms, amount, currency, isChallenged, url, successUrl, cancelUrl } = checkout;
    const [{ organization }, { subscription }] = await Promise.all([
      call(ctx, 'identity.organizations.describe', { body: { orgId } }),
      readSubscription(ctx, orgId),
    ]);
    if (!organization) throw fail('NOT_FOUND');
    return {
      status: statusOf(checkout),
      page: pageOf(checkout),
      organizationName: organization.name,
      title: titleOf(terms.plan, terms.version),
      billingCycle: terms.billingCycle,
      amount,
      currency,
      countsFrom: checkout.kind === 'change' ? subscription.currentPeriodEnd.toISOString() : null,
      isKept: subscription.plan === terms.plan && subscription.billingCycle === terms.billingCycle,
      isChallenged,
      sellerName: settings.SELLER_NAME,
      url,
      successUrl,
      cancelUrl,
    };
  },
});

/** As it is for the payer: what is past its time has expired, whether or not that was written down. */
export function statusOf(checkout: CheckoutDocument): CheckoutDocument['status'] {
  const { status, provider, kind } = checkout;
  if (status !== 'open') return status;
  const isGone = provider === 'test' && kind !== 'change' && !isTestInUse();
  return isGone || isPastTime(checkout) ? 'expired' : 'open';
}

export type CheckoutPage = z.output<typeof shownCheckout>['page'];

/** Which page a checkout has. */
export function pageOf({ kind, provider, url, isConfirmed }: CheckoutDocument): CheckoutPage {
  if (kind === 'change') return 'change';
  if (url !== null) return 'elsewhere';
  if (isConfirmed) return 'waiting';
  return provider === 'test' || provider === 'manual' ? provider : 'upgrade';
}

declare module '../../../../lib/calls.ts' {
  interface Calls {
    'billing.checkouts.show': typeof showCheckout;
  }
}
