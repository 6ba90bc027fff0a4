import Stripe from 'stripe';
import { second } from '../../../../lib/clock.ts';
import { createPriceBook, type PriceBook } from './prices.ts';

/**
 * The version that the library's types describe. Webhooks may use another one: their subjects are read again in this
 * one.
 */
const apiVersion = '2026-10-28.endive';
const timeout = 20 * second;

export type StripeOptions = {
  secretKey: string;
  /** Each of them is valid; there are several during a rotation. */
  webhookSecrets: readonly string[];
  /** Replaces Stripe's address, for a stand-in or a proxy. */
  apiBase?: string | undefined;
};

/** The Stripe client and its settings. */
export type StripeApi = { stripe: Stripe; prices: PriceBook; webhookSecrets: readonly string[] };

export function connect({ secretKey, webhookSecrets, apiBase }: StripeOptions): StripeApi {
  const stripe = new Stripe(secretKey, {
    apiVersion,
    telemetry: false,
    maxNetworkRetries: 2,
    timeout,
    ...(apiBase && addressOf(new URL(apiBase))),
  });
  return { stripe, prices: createPriceBook(stripe), webhookSecrets };
}

function addressOf({ protocol, hostname, port }: URL): Stripe.StripeConfig {
  const isPlain = protocol === 'http:';
  return { protocol: isPlain ? 'http' : 'https', host: hostname, port: port || (isPlain ? 80 : 443) };
}
