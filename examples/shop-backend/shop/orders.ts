import { type Product, products, refundReasons, roundToCents } from './catalogue.ts';
import type { Customer } from './customers.ts';
import { byCustomer, byShop, type Draft, day, hour, type Life, minute } from './happening.ts';
import type { Random } from './random.ts';

const failedShare = 0.12;
const abandonedShare = 0.35;
const cancelledShare = 0.06;
const refundedShare = 0.07;

type Line = Product & { quantity: number };
type Order = { orderId: string; totalAmount: number; currency: string; items: Line[] };

/** Orders, weeks apart; regulars order often, and most customers order once or twice. */
export function order(life: Life, from: number): Draft[] {
  const { customer, random, until } = life;
  const daysBetween = random.pick([12, 25, 40, 80, 200]);
  const drafts: Draft[] = [];
  let at = from + random.between(0, daysBetween) * day + random.between(0, 1200) * minute;
  for (let number = 1; at < until; number += 1) {
    drafts.push(...follow(life, fillBasket(customer, random, number), at));
    at += random.between(Math.ceil(daysBetween / 2), daysBetween * 2) * day;
  }
  return drafts;
}

function fillBasket({ id, currency }: Customer, random: Random, number: number): Order {
  const skus = new Set(Array.from({ length: random.between(1, 3) }, () => random.pick(products)));
  const items = [...skus].map((product) => ({ ...product, quantity: random.between(1, 3) }));
  const totalAmount = roundToCents(items.reduce((sum, { unitPrice, quantity }) => sum + unitPrice * quantity, 0));
  return { orderId: `O-${id.slice(2)}-${number}`, totalAmount, currency, items };
}

/** One order from the basket to its delivery, or to another end. */
function follow({ customer, random }: Life, basket: Order, at: number): Draft[] {
  const { orderId, totalAmount, currency } = basket;
  const { email, phone } = customer;
  const created = byCustomer(customer, 'order.created', at, random.pick(['web', 'app']), {
    ...basket,
    customer: { email, phone },
  });
  const failed = random.happens(failedShare) ? [payment(customer, basket, 'failed', 1, at + minute)] : [];
  if (failed.length > 0 && random.happens(abandonedShare)) {
    return [
      created,
      ...failed,
      byShop(customer, 'order.cancelled', at + 2 * day, 'shop', { orderId, reason: 'unpaid' }),
    ];
  }
  const paidAt = at + failed.length * random.between(1, 30) * hour + 2 * minute;
  const paid = [
    payment(customer, basket, 'succeeded', failed.length + 1, paidAt),
    byShop(customer, 'order.paid', paidAt + 1000, 'shop', { orderId, totalAmount, currency }),
  ];
  return [created, ...failed, ...paid, ...deliver(customer, random, basket, paidAt)];
}

function deliver(customer: Customer, random: Random, basket: Order, paidAt: number): Draft[] {
  const { orderId, totalAmount, currency } = basket;
  if (random.happens(cancelledShare)) {
    const at = paidAt + 5 * hour;
    const cancelled = byCustomer(customer, 'order.cancelled', at, 'web', { orderId, reason: 'changed my mind' });
    return [cancelled, refund(customer, basket, totalAmount, 'cancelled', at + hour)];
  }
  const shippedAt = paidAt + random.between(8, 60) * hour;
  const deliveredAt = shippedAt + random.between(20, 120) * hour;
  const carrier = random.pick(['DHL', 'UPS', 'PostNord']);
  const trackingNumber = `${carrier}-${orderId.slice(2)}`;
  const delivery = [
    byShop(customer, 'order.shipped', shippedAt, 'warehouse', { orderId, carrier, trackingNumber }),
    byShop(customer, 'order.delivered', deliveredAt, 'warehouse', { orderId, carrier }),
  ];
  if (!random.happens(refundedShare)) return delivery;
  const amount = random.happens(0.5) ? totalAmount : roundToCents(totalAmount / 2);
  const at = deliveredAt + random.between(1, 9) * day;
  return [...delivery, refund(customer, { orderId, currency }, amount, random.pick(refundReasons), at)];
}

type Reference = Pick<Order, 'orderId' | 'currency'>;

function payment(customer: Customer, order: Order, result: 'succeeded' | 'failed', attempt: number, at: number): Draft {
  const { orderId, totalAmount: amount, currency } = order;
  const why = result === 'failed' ? { reason: 'card_declined' } : {};
  const paymentId = `P-${orderId.slice(2)}-${attempt}`;
  return byShop(customer, `payment.${result}`, at, 'payments', {
    paymentId,
    orderId,
    amount,
    currency,
    method: 'card',
    ...why,
  });
}

function refund(customer: Customer, order: Reference, amount: number, reason: string, at: number): Draft {
  const { orderId, currency } = order;
  return byShop(customer, 'order.refunded', at, 'payments', { orderId, refundAmount: amount, currency, reason });
}
