import { day, fromNow } from '../../../../lib/clock.ts';
import { apiError } from '../../../../lib/errors.ts';
import type { PaymentProvider } from '../provider.ts';

/** How long a bank transfer may take until the operator sees it. */
const checkoutLifetime = 14 * day;

/**
 * The manual provider: an operator receives payments, such as on a bank account, and reports them in the console.
 * Nothing is charged automatically: a renewal is an open invoice until then.
 */
export const manualProvider: PaymentProvider = {
  name: 'manual',
  collection: 'platform',
  openCheckout: async ({ checkoutId }) => ({
    gatewayCheckoutId: checkoutId,
    url: null,
    expiresAt: fromNow(checkoutLifetime),
  }),
  closeCheckout: async () => undefined,
  upgrade: async () => ({ url: null }),
  charge: async () => 'pending',
  cancelAtPeriodEnd: async () => undefined,
  resume: async () => undefined,
  changePlan: async () => undefined,
  end: async () => undefined,
  read: async () => null,
  verifyWebhook: () => Promise.reject(apiError('WEBHOOK_INVALID')),
  interpret: async () => ({ checkoutId: null, gatewaySubscriptionId: null, events: [] }),
};
