import { z } from 'zod';
import { recordAuditEvent } from '../../../lib/clients/audit.ts';
import { type CallContext, type Ctx, call } from '../../../lib/contract/context.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { type ErrorDetail, inputError } from '../../../lib/contract/errors.ts';
import { exampleId } from '../../../lib/contract/examples.ts';
import type { Operation } from '../../../lib/contract/idempotency.ts';
import { timestamp } from '../../../lib/contract/input.ts';
import { originOfReturnTo } from '../../../lib/security/return-to.ts';
import { ownOrigin, settings } from '../../../lib/settings/settings.ts';
import { billingCycles, currencies, planNames } from '../../../models/billing/sold-version.ts';
import { now } from '../clock.ts';
import { requireProvider } from '../payment/choice.ts';
import { billedPath } from '../subscriptions/endpoints.ts';
import { readSubscription } from '../subscriptions/subscriptions.ts';
import { type Opened, openCheckout, pageLink, resumeCheckout } from './checkouts.ts';
import { quoteFor } from './quotes.ts';

/** The addresses to which the payer is sent back. */
export type ReturnUrls = { successUrl: string; cancelUrl: string };

/**
 * The addresses in a spelling that all browsers read alike, if a payer may be sent there: to the platform itself, to a
 * redirect origin of the organization's own OAuth clients, or to an origin of the setting ALLOWED_ORIGINS.
 *
 * @throws INPUT_INVALID naming each that is none of these.
 */
export async function requireReturnUrls(
  ctx: CallContext,
  orgId: string,
  { successUrl, cancelUrl }: ReturnUrls,
): Promise<ReturnUrls> {
  const { origins } = await call(ctx, 'identity.oauth.redirect-origins', { body: { orgId } });
  const allowed = new Set([ownOrigin, ...settings.ALLOWED_ORIGINS, ...origins]);
  const refused = Object.entries({ successUrl, cancelUrl }).filter(([, url]) => !isAllowed(url, allowed));
  if (refused.length > 0) throw inputError(refused.map(([name]) => refusalOf(name)));
  return { successUrl: written(successUrl), cancelUrl: written(cancelUrl) };
}

function isAllowed(url: string, allowed: ReadonlySet<string>): boolean {
  const origin = originOfReturnTo(url, settings.PUBLIC_URL);
  return origin !== null && allowed.has(origin);
}

function refusalOf(name: string): ErrorDetail {
  const message =
    'Must be an address of this platform, of a redirect origin of an OAuth client of the organization, or of an ' +
    'origin that the operator allows.';
  return { path: `body.${name}`, message };
}

function written(url: string): string {
  return new URL(url, settings.PUBLIC_URL).href;
}

const paidPlans = planNames.filter((plan) => plan !== 'free');
const url = z.string().max(2048, 'Must be at most 2048 characters.');

/**
 * POST /v1/orgs/:orgId/checkout: begins the purchase of a plan, or the change to one, and answers where the payer goes.
 * While the checkout is open, an equal request gets the same answer and a different one replaces it.
 */
export const openCheckoutAction = defineAction({
  rest: 'POST /v1/orgs/:orgId/checkout',
  summary: 'Begin the purchase of a plan',
  description:
    'Opens a checkout for a plan or a change of plan, and returns the address to which you send the payer. An ' +
    'organization has at most one open checkout: an equal request gets the same answer, and a different one ' +
    'replaces it. This call changes no plan: an upgrade takes effect when it is paid, a downgrade at the end of ' +
    'the period. `successUrl` and `cancelUrl` must be addresses of this platform, of a redirect origin of one of ' +
    "the organization's OAuth clients, or of an origin that the operator allows.",
  permission: 'billing.write',
  organization: ({ path }) => path.orgId,
  input: {
    path: billedPath,
    body: z
      .strictObject({
        plan: z
          .enum(paidPlans, { error: `Must be one of: ${paidPlans.join(', ')}. To return to free, cancel.` })
          .describe('The plan to buy. To return to `free`, cancel the subscription.'),
        billingCycle: z.enum(billingCycles, { error: `Must be one of: ${billingCycles.join(', ')}.` }),
        successUrl: url.describe('Where the payer is sent after the payment.'),
        cancelUrl: url.describe('Where the payer is sent who does not pay.'),
        currency: z
          .enum(currencies, { error: `Must be one of: ${currencies.join(', ')}.` })
          .optional()
          .describe('The currency; by default the one of the subscription, or `eur`.'),
      })
      .meta({ id: 'CheckoutInput' }),
  },
  output: z
    .strictObject({
      checkoutUrl: z.url().describe('The address to which you send the payer.'),
      sessionId: z.string().describe('The id of the checkout (`chk_…`).'),
      expiresAt: timestamp,
    })
    .meta({ id: 'Checkout' }),
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
