/**
 * The maximum of each that a state remembers by name; counts and sums continue beyond it. Together under 64 KiB of
 * JSON.
 */
export const bounds = {
  orders: 20,
  payments: 16,
  receipts: 10,
  references: 5,
  refundIds: 20,
  orderRefundIds: 8,
  subscriptions: 6,
  tickets: 20,
  pages: 16,
  channels: 8,
  otherNames: 10,
  gaps: 4,
};

/** How many code points of a text from outside a state keeps. */
export const lengths = {
  id: 40,
  name: 80,
  email: 100,
  company: 60,
  plan: 40,
  subject: 80,
  item: 60,
  page: 80,
  eventName: 60,
  reason: 60,
  detail: 60,
  label: 24,
};
