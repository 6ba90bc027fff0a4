import { type Plan, plans } from './catalogue.ts';
import type { Customer } from './customers.ts';
import { byCustomer, byShop, type Draft, day, type Life, minute } from './happening.ts';

const subscriberShare = 0.3;
const failedShare = 0.1;
const upgradedShare = 0.2;
const cancelledShare = 0.15;
const period = 30 * day;

type Subscription = { subscriptionId: string; plan: string; amount: number; currency: string };

/** A coffee subscription, renewed every thirty days; some move up a plan, some leave. */
export function subscribe({ customer, random, until }: Life, from: number): Draft[] {
  if (!random.happens(subscriberShare)) return [];
  let rank = random.between(0, 1);
  let at = from + random.between(1, 30) * day;
  const drafts = [byCustomer(customer, 'subscription.started', at, 'web', terms(customer, rank, at))];
  drafts.push(charge(customer, rank, 'succeeded', at + minute));
  while (at < until) {
    const middle = at + random.between(5, 25) * day;
    if (random.happens(cancelledShare)) return [...drafts, cancel(customer, rank, at, middle)];
    if (rank < plans.length - 1 && random.happens(upgradedShare)) {
      drafts.push(upgrade(customer, rank, at, middle));
      rank += 1;
    }
    at += period;
    drafts.push(...renew(customer, rank, at, random.happens(failedShare)));
  }
  return drafts;
}

function terms(customer: Customer, rank: number, periodStart: number): Subscription & { currentPeriodEnd: string } {
  const { name, monthlyPrice } = planOf(rank);
  return {
    subscriptionId: `S-${customer.id.slice(2)}`,
    plan: name,
    amount: monthlyPrice,
    currency: customer.currency,
    currentPeriodEnd: new Date(periodStart + period).toISOString(),
  };
}

function planOf(rank: number): Plan {
  return plans[rank] ?? plans[0];
}

function renew(customer: Customer, rank: number, at: number, failsFirst: boolean): Draft[] {
  const paidAt = failsFirst ? at + 2 * day : at;
  return [
    ...(failsFirst ? [charge(customer, rank, 'failed', at)] : []),
    charge(customer, rank, 'succeeded', paidAt),
    byShop(customer, 'subscription.renewed', paidAt + 1000, 'billing', terms(customer, rank, at)),
  ];
}

function upgrade(customer: Customer, rank: number, periodStart: number, at: number): Draft {
  const payload = { ...terms(customer, rank + 1, periodStart), previousPlan: planOf(rank).name };
  return byCustomer(customer, 'subscription.upgraded', at, 'web', payload);
}

function cancel(customer: Customer, rank: number, periodStart: number, at: number): Draft {
  const { subscriptionId, plan, currentPeriodEnd } = terms(customer, rank, periodStart);
  const payload = { subscriptionId, plan, currentPeriodEnd, cancelAtPeriodEnd: true, reason: 'too much coffee' };
  return byCustomer(customer, 'subscription.cancelled', at, 'web', payload);
}

function charge(customer: Customer, rank: number, result: 'succeeded' | 'failed', at: number): Draft {
  const { subscriptionId, amount, currency } = terms(customer, rank, at);
  const paymentId = `P-${subscriptionId.slice(2)}-${new Date(at).toISOString().slice(0, 10)}`;
  const why = result === 'failed' ? { reason: 'insufficient_funds' } : {};
  return byShop(customer, `payment.${result}`, at, 'billing', { paymentId, subscriptionId, amount, currency, ...why });
}
