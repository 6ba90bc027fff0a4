import { settings } from '../../../../lib/settings.ts';
import type { PaymentProvider } from '../provider.ts';
import { cancelAtPeriodEnd, changePlan, end, resume } from './changes.ts';
import { connect, type StripeOptions } from './client.ts';
import { forgetCustomer } from './customers.ts';
import { paymentEventOf } from './reading.ts';
import { refund } from './refunds.ts';
import { isOutage } from './requests.ts';
import { closeSession, openSession } from './sessions.ts';
import { openInvoicePage } from './subscriptions.ts';
import { upgrade } from './upgrade.ts';
import { interpret, verifyWebhook } from './webhooks.ts';

/**
 * Stripe: the payer pays on its pages, and it renews subscriptions by itself. Its state is read each time; its webhooks
 * only say when to read.
 *
 * @throws Error without a secret key.
 */
export function createStripeProvider(options: StripeOptions = optionsOf(settings)): PaymentProvider {
  const api = connect(options);
  return {
    name: 'stripe',
    collection: 'provider',
    async openCheckout(order) {
      const { gatewaySubscriptionId, isOverdue, expiresAt } = order;
      if (gatewaySubscriptionId === null) return await openSession(api, order);
      const url = isOverdue ? await openInvoicePage(api, { gatewaySubscriptionId }) : null;
      return { gatewayCheckoutId: null, url, expiresAt };
    },
    closeCheckout: (checkout) => closeSession(api, checkout),
    upgrade: (change) => upgrade(api, change),
    charge: () => Promise.reject(new Error('Stripe renews subscriptions itself; the platform does not charge them.')),
    cancelAtPeriodEnd: (change) => cancelAtPeriodEnd(api, change),
    resume: (change) => resume(api, change),
    changePlan: (change) => changePlan(api, change),
    end: (change) => end(api, change),
    refund: (what) => refund(api, what),
    forget: (orgId) => forgetCustomer(api.stripe, orgId),
    read: (gatewaySubscriptionId) => paymentEventOf(api, gatewaySubscriptionId),
    verifyWebhook: (delivery) => verifyWebhook(api, delivery),
    interpret: (notice) => interpret(api, notice),
    isOutage,
  };
}

type StripeSettings = Pick<typeof settings, 'STRIPE_SECRET_KEY' | 'STRIPE_WEBHOOK_SECRET' | 'STRIPE_API_BASE'>;

function optionsOf({ STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_API_BASE }: StripeSettings): StripeOptions {
  if (!STRIPE_SECRET_KEY) throw new Error('STRIPE_SECRET_KEY must be set, because there are purchases at Stripe.');
  return {
    secretKey: STRIPE_SECRET_KEY.reveal(),
    webhookSecrets: STRIPE_WEBHOOK_SECRET.map((secret) => secret.reveal()),
    apiBase: STRIPE_API_BASE,
  };
}
