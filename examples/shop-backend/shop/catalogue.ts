export type Product = { sku: string; name: string; unitPrice: number };
export type Plan = { name: string; monthlyPrice: number };

/** Prices are in whole currency units with two decimals. */
export const products: readonly [Product, ...Product[]] = [
  { sku: 'BEAN-250', name: 'House espresso 250 g', unitPrice: 8.9 },
  { sku: 'BEAN-1000', name: 'House espresso 1 kg', unitPrice: 29.5 },
  { sku: 'BEAN-ETH', name: 'Ethiopia Guji 250 g', unitPrice: 12.4 },
  { sku: 'BEAN-DEC', name: 'Colombia decaf 250 g', unitPrice: 10.9 },
  { sku: 'MUG-BLUE', name: 'Blue stoneware mug', unitPrice: 18 },
  { sku: 'DRIP-V', name: 'Ceramic dripper', unitPrice: 27 },
  { sku: 'FILTER-100', name: 'Paper filters, 100', unitPrice: 5.2 },
  { sku: 'GRIND-H', name: 'Hand grinder', unitPrice: 119 },
  { sku: 'SCALE-1', name: 'Brewing scale', unitPrice: 49.95 },
  { sku: 'KETTLE-G', name: 'Gooseneck kettle', unitPrice: 89 },
];

export const plans: readonly [Plan, Plan, Plan] = [
  { name: 'Taster', monthlyPrice: 14.9 },
  { name: 'Regular', monthlyPrice: 24.9 },
  { name: 'Connoisseur', monthlyPrice: 39.9 },
];

export const pages: readonly [string, ...string[]] = ['/', '/beans', '/brewing', '/subscriptions', '/journal', '/sale'];

/** A support question, and the events between which it makes sense: after one, and before the other. */
export type Question = { subject: string; after: string; before?: string };

export const questions: readonly Question[] = [
  { subject: 'Please change my delivery address', after: 'order.created', before: 'order.shipped' },
  { subject: 'Where is my parcel?', after: 'order.shipped', before: 'order.delivered' },
  { subject: 'My parcel arrived damaged', after: 'order.delivered' },
  { subject: 'Which grind for a moka pot?', after: 'order.delivered' },
  { subject: 'I was charged twice', after: 'payment.succeeded' },
  { subject: 'How do I pause my subscription?', after: 'subscription.started', before: 'subscription.cancelled' },
];

export const refundReasons: readonly [string, ...string[]] = ['damaged', 'arrived late', 'not as described'];

/** Rounds an amount to cents, which removes binary fraction errors. */
export function roundToCents(amount: number): number {
  return Math.round(amount * 100) / 100;
}
