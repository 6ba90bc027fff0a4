import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose from 'mongoose';
import Stripe from 'stripe';
import { startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import { setClock } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';
import type { Terms } from '../../../models/billing/sold-version.ts';
import type { Order, PaymentEvent, PaymentProvider } from '../../../services/billing/payment/provider.ts';
import { createStripeProvider } from '../../../services/billing/payment/stripe/provider.ts';
import type { StripeEvent } from './stripe-account.ts';
import { type StripeServer, secretKey, startStripeServer } from './stripe-server.ts';

export const webhookSecret = 'whsec_of_a_stand_in';

/** The provider before a stand-in of Stripe, whose clock is the platform's. */
export type StripeBench = {
  server: StripeServer;
  provider: PaymentProvider;
  /** What an event means, by way of its signature. */
  paymentEventOf: (event: StripeEvent) => Promise<PaymentEvent>;
  close: () => Promise<void>;
};

export async function startStripeBench(start: Date): Promise<StripeBench> {
  const server = await startStripeServer(start.getTime() / 1000);
  const restoreClock = setClock(() => new Date(server.account.clock.seconds * 1000));
  const provider = createStripeProvider({ secretKey, webhookSecrets: [webhookSecret], apiBase: server.url });
  return {
    server,
    provider,
    async paymentEventOf(event) {
      const body = JSON.stringify(event);
      const signature = await signatureOf(body, server.account.clock.seconds);
      const notice = await provider.verifyWebhook({ body, headers: { 'stripe-signature': signature } });
      // As it is stored in between.
      return provider.interpret({ ...notice, payload: JSON.parse(JSON.stringify(notice.payload)) });
    },
    async close() {
      restoreClock();
      await server.close();
    },
  };
}

/** A database of its own, for the customers; what closes it. */
export async function openStripeDatabase(): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'stripe-'));
  const database = await startEmbeddedMongo({ dir: folder });
  await mongoose.connect(database.url, { dbName: 'stripe' });
  return async () => {
    await mongoose.disconnect();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  };
}

/** How Stripe signs a body at a time in seconds. */
export function signatureOf(payload: string, timestamp: number, secret = webhookSecret): Promise<string> {
  const cryptoProvider = Stripe.createSubtleCryptoProvider();
  return Stripe.webhooks.generateTestHeaderStringAsync({ payload, secret, timestamp, cryptoProvider });
}

export const proMonthly: Terms = { plan: 'pro', version: 1, billingCycle: 'monthly' };
export const proYearly: Terms = { plan: 'pro', version: 1, billingCycle: 'yearly' };
export const scaleMonthly: Terms = { plan: 'scale', version: 1, billingCycle: 'monthly' };
export const scaleYearly: Terms = { plan: 'scale', version: 1, billingCycle: 'yearly' };

/** An order of a new organization's, for two hours. */
export function orderAt(server: StripeServer, change: Partial<Order> = {}): Order {
  return {
    checkoutId: newId('chk'),
    orgId: newId('org'),
    organizationName: 'Ćevapi & Söhne',
    email: 'owner@example.com',
    terms: proMonthly,
    title: 'Pro',
    currency: 'eur',
    amount: 4900,
    gatewaySubscriptionId: null,
    isOverdue: false,
    successUrl: 'https://app.example.com/paid?a=1&b=2',
    cancelUrl: 'https://app.example.com/given-up',
    expiresAt: new Date((server.account.clock.seconds + 7200) * 1000),
    ...change,
  };
}
