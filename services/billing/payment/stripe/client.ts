import Stripe from 'stripe';
import { second } from '../../../../lib/clock.ts';
import { createPriceBook, type PriceBook } from './prices.ts';

/** The version that the library's types describe. Webhooks may be of another: what they name is read again in this one. */
const apiVersion = '2026-10-28.endive';
const timeout = 20 * second;

export type StripeOptions = {
  secretKey: string;
  /** Any of them signs; there are several while one takes another's place. */
  webhookSecrets: readonly string[];
  /** Instead of Stripe's own address: for a stand-in, and for a proxy. */
  apiBase?: string | undefined;
};

/** Stripe, as everything here asks it. */
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
