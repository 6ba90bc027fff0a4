import type Stripe from 'stripe';
import {
  type BillingCycle,
  billingCycles,
  type Currency,
  currencies,
  type PlanName,
  planNames,
  type Terms,
  taxBehavior,
} from '../../../../models/billing/sold-version.ts';
import { findPlan, priceOf } from '../../plans/plans.ts';
import { once, orNull } from './requests.ts';

/** The terms of a price: a version of a plan in a cycle, and a currency. */
export type Priced = { terms: Terms; currency: Currency };

/** The prices at Stripe of the plans. They are created on demand. */
export type PriceBook = {
  /** The id of the price of a plan; throws when Stripe has it with another amount. */
  idOf: (terms: Terms, currency: Currency) => Promise<string>;
  /** The plan of a price at Stripe; null for one that is not the platform's. */
  pricedBy: (priceId: string) => Promise<Priced | null>;
};

const intervals: Record<BillingCycle, 'month' | 'year'> = { monthly: 'month', yearly: 'year' };

export const intervalOf = ({ billingCycle }: Terms): 'month' | 'year' => intervals[billingCycle];

/** The name of a price in Stripe's lookup keys and metadata, such as `pro@1:monthly:eur`. */
export function priceKey({ plan, version, billingCycle }: Terms, currency: Currency): string {
  return `${plan}@${version}:${billingCycle}:${currency}`;
}

/** Parses a text of {@link priceKey}; null for any other. */
export function parsePriceKey(key: string): Priced | null {
  const [, plan, version, billingCycle, currency] = /^([a-z]+)@([1-9]\d{0,5}):([a-z]+):([a-z]{3})$/.exec(key) ?? [];
  if (!isOneOf<PlanName>(planNames, plan) || !isOneOf<BillingCycle>(billingCycles, billingCycle)) return null;
  if (!isOneOf<Currency>(currencies, currency)) return null;
  return { terms: { plan, version: Number(version), billingCycle }, currency };
}

/**
 * The key of a price; null for one that is not the platform's. A lookup key can be moved to another price, metadata
 * cannot.
 */
export function keyOfPrice({ metadata, lookup_key }: Stripe.Price): string | null {
  const key = metadata.terms ?? lookup_key;
  return key && parsePriceKey(key) ? key : null;
}

export function createPriceBook(stripe: Stripe): PriceBook {
  const keys = new Map<string, string | null>();
  return {
    idOf: async (terms, currency) => (await findOrMake(stripe, terms, currency)).id,
    async pricedBy(priceId) {
      // The plan of a price never changes.
      const cached = keys.get(priceId);
      const key = cached === undefined ? keyOfPrice(await stripe.prices.retrieve(priceId)) : cached;
      keys.set(priceId, key);
      return key === null ? null : parsePriceKey(key);
    },
  };
}

async function findOrMake(stripe: Stripe, terms: Terms, currency: Currency): Promise<Stripe.Price> {
  const { data } = await stripe.prices.list({ lookup_keys: [priceKey(terms, currency)], limit: 1 });
  const [found] = data;
  const price = found?.active ? found : await make(stripe, { terms, currency }, found?.id ?? 'first');
  return requireEqual(price, terms, currency);
}

/** Creates a price that replaces an archived one. */
async function make(stripe: Stripe, { terms, currency }: Priced, archivedId: string): Promise<Stripe.Price> {
  const key = priceKey(terms, currency);
  const amount = priceOf(terms, currency);
  const product = await findOrMakeProduct(stripe, terms);
  return stripe.prices.create(
    {
      product,
      currency,
      unit_amount: amount,
      recurring: { interval: intervalOf(terms) },
      tax_behavior: taxBehavior,
      lookup_key: key,
      transfer_lookup_key: true,
      metadata: { terms: key },
    },
    // The idempotency key contains the archived price; otherwise Stripe would return that price for a day.
    once('price', key, String(amount), archivedId),
  );
}

async function findOrMakeProduct(stripe: Stripe, { plan, version }: Terms): Promise<string> {
  const id = `plan_${plan}_${version}`;
  const name = findPlan(plan, version)?.title ?? plan;
  try {
    await stripe.products.create({ id, name, metadata: { plan, version } }, once('product', id));
  } catch (error) {
    // It exists already, under this title or another.
    if (!(await isOnSale(stripe, id))) throw error;
  }
  return id;
}

async function isOnSale(stripe: Stripe, productId: string): Promise<boolean> {
  const product = await orNull(stripe.products.retrieve(productId));
  return product?.active ?? false;
}

/** A customer must not be charged a price that differs from the plan's. */
function requireEqual(price: Stripe.Price, terms: Terms, currency: Currency): Stripe.Price {
  const amount = priceOf(terms, currency);
  const isEqual =
    price.unit_amount === amount &&
    price.currency === currency &&
    price.recurring?.interval === intervalOf(terms) &&
    price.recurring.interval_count === 1;
  if (isEqual) return price;
  const key = priceKey(terms, currency);
  throw new Error(`Stripe’s price ${price.id} with the lookup key ${key} is not ${amount} each ${intervalOf(terms)}.`);
}

function isOneOf<T extends string>(values: readonly T[], value: string | undefined): value is T {
  return values.some((allowed) => allowed === value);
}
