import { z } from 'zod';
import { defineAction } from '../../../../lib/action.ts';
import { recordAuditEvent } from '../../../../lib/audit.ts';
import type { Ctx } from '../../../../lib/caller.ts';
import { exampleId } from '../../../../lib/examples.ts';
import { timestamp } from '../../../../lib/instant.ts';
import type { Operation } from '../../../../lib/operation.ts';
import { billingCycles, currencies, planNames } from '../../../../models/billing/sold-version.ts';
import { now } from '../../clock.ts';
import { billedPath } from '../../subscriptions/shapes.ts';
import { readSubscription } from '../../subscriptions/subscriptions.ts';
import { requireProvider } from '../choice.ts';
import { pageLink } from './links.ts';
import { type Opened, openCheckout, resumeCheckout } from './opening.ts';
import { quoteFor } from './quotes.ts';
import { requireReturnUrls } from './return-urls.ts';

const paidPlans = planNames.filter((plan) => plan !== 'free');
const url = z.string().max(2048, 'Must be at most 2048 characters.');

/**
 * POST /v1/orgs/:orgId/checkout: begins the purchase of a plan, or the change to one, and answers where the payer goes.
 * While the checkout is open, an equal request gets the same answer and a different one replaces it.
 */
export const openCheckoutAction = defineAction({
  rest: 'POST /v1/orgs/:orgId/checkout',
  summary: 'Begin the purchase of a plan',
  permission: 'billing.write',
  organization: ({ path }) => path.orgId,
  input: {
    path: billedPath,
    body: z.strictObject({
      plan: z.enum(paidPlans, { error: `Must be one of: ${paidPlans.join(', ')}. To return to free, cancel.` }),
      billingCycle: z.enum(billingCycles, { error: `Must be one of: ${billingCycles.join(', ')}.` }),
      successUrl: url,
      cancelUrl: url,
      currency: z.enum(currencies, { error: `Must be one of: ${currencies.join(', ')}.` }).optional(),
    }),
  },
  output: z.strictObject({ checkoutUrl: z.url(), sessionId: z.string(), expiresAt: timestamp }),
  status: 201,
  errors: ['NOT_FOUND', 'PLAN_IS_CURRENT', 'CONFLICT', 'PAYMENTS_DISABLED'],
  idempotent: {
    async resume({ caller: { orgId }, operation, ctx }) {
      const checkout = await resumeCheckout(ctx, orgId, operation);
      return checkout && (await complete(ctx, operation, { checkout, isNew: true }));
    },
  },
  example: {
    path: { orgId: exampleId('org') },
    body: {
      plan: 'pro',
      billingCycle: 'monthly',
      successUrl: 'https://shop.acme-bikes.example/plan/thanks',
      cancelUrl: 'https://shop.acme-bikes.example/plan',
      currency: 'eur',
    },
    output: {
      checkoutUrl: 'https://checkout.stripe.com/c/pay/cs_example',
      sessionId: exampleId('chk'),
      expiresAt: '2026-03-02T11:30:00.000Z',
    },
  },
  async handler({ body: { successUrl, cancelUrl, ...wanted }, caller: { orgId }, operation, ctx }) {
    const provider = requireProvider();
    const urls = await requireReturnUrls(ctx, orgId, { successUrl, cancelUrl });
    const { subscription } = await readSubscription(ctx, orgId);
    const quote = quoteFor(subscription, wanted, provider, now());
    const opened = await openCheckout(ctx, orgId, { ...quote, ...urls, subscription }, operation);
    return await complete(ctx, operation, opened);
  },
});

/** Completes the action after the provider has the checkout. Idempotent. */
async function complete(ctx: Ctx, operation: Operation, { checkout, isNew }: Opened) {
  const { _id, orgId, kind, provider, terms, currency, amount, url, expiresAt } = checkout;
  if (isNew) {
    await recordAuditEvent(ctx, {
      id: operation.newId('aud'),
      action: 'checkout.opened',
      orgId,
      target: { type: 'checkout', id: _id },
      after: { kind, provider, plan: terms.plan, billingCycle: terms.billingCycle, currency, amount },
    });
  }
  return { checkoutUrl: url ?? pageLink(_id), sessionId: _id, expiresAt: expiresAt.toISOString() };
}

declare module '../../../../lib/calls.ts' {
  interface Calls {
    'billing.checkouts.open': typeof openCheckoutAction;
  }
}
