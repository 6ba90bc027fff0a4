import type { StoredEvent } from '../../../services/context/story/event.ts';

let counter = 0;

/** One stored event, a new id each. */
export function event(
  occurredAt: string,
  eventName: string,
  payload: Record<string, unknown> = {},
  overrides: Partial<StoredEvent> = {},
): StoredEvent {
  counter += 1;
  return {
    eventId: `00000000-0000-4000-8000-${String(counter).padStart(12, '0')}`,
    eventName,
    occurredAt,
    actor: { type: 'customer', id: 'cus_1' },
    source: { system: 'shop', channel: 'web' },
    payload,
    ...overrides,
  };
}

const visitor = { actor: { type: 'visitor', id: 'v_81' } };
const agent = { actor: { type: 'agent', id: 'agent_7' } };
const system = { actor: { type: 'system', id: 'billing' } };

export const oneLook = [
  event('2026-03-03T10:00:00Z', 'page.viewed', { url: 'https://shop.test/pricing?utm=x#top' }, visitor),
];

/** Two years of a shop customer: orders, a failed payment, a refund, tickets. */
export const shopRegular = [
  event('2024-03-02T09:00:00Z', 'customer.registered', { name: 'Ada Byron', email: 'Ada@Example.com' }),
  ...['2024-03-03', '2024-07-19', '2024-11-28', '2025-02-14', '2025-06-01'].flatMap((day, index) => {
    const orderId = `A-100${index}`;
    return [
      event(`${day}T10:00:00Z`, 'order.created', {
        orderId,
        total: '49.90',
        currency: 'EUR',
        items: [{ name: 'Blue mug' }],
      }),
      event(`${day}T10:01:00Z`, 'payment.succeeded', {
        paymentId: `p${index}`,
        orderId,
        amount: 49.9,
        currency: 'eur',
      }),
      event(`${day}T15:00:00Z`, 'order.shipped', { orderId }),
      event(`${day}T23:00:00Z`, 'order.delivered', { order: { id: orderId } }),
    ];
  }),
  event('2025-06-03T10:00:00Z', 'order.returned', { orderId: 'A-1004', reason: 'Chipped' }),
  event('2025-06-05T10:00:00Z', 'order.refunded', { orderId: 'A-1004', refundAmount: 49.9, currency: 'EUR' }),
  event('2025-06-05T10:00:01Z', 'payment.refunded', { orderId: 'A-1004', amount: 49.9, currency: 'EUR' }),
  event('2025-06-02T08:00:00Z', 'ticket.created', { ticketId: 'T-1', subject: 'My mug arrived chipped' }),
  event('2025-06-02T09:00:00Z', 'ticket.replied', { ticketId: 'T-1' }, agent),
  event('2025-06-05T11:00:00Z', 'ticket.resolved', { ticketId: 'T-1' }, agent),
  event('2026-01-09T10:00:00Z', 'order.created', {
    orderId: 'A-1005',
    totalAmount: { amount: '1299.00', currency: 'EUR' },
    items: [{ name: 'Espresso machine' }, { name: 'Coffee beans' }],
  }),
  event('2026-01-09T10:01:00Z', 'payment.failed', {
    paymentId: 'p5',
    orderId: 'A-1005',
    amount: 1299,
    currency: 'EUR',
  }),
  event('2026-01-10T08:00:00Z', 'ticket.opened', { ticket: { id: 'T-2', subject: 'Why was my card declined?' } }),
];

/** A SaaS account: trial, conversion, upgrade, renewals, now past due. */
export const saasPastDue = [
  event('2025-01-10T08:00:00Z', 'user.signed_up', {
    user: { firstName: 'Grace', lastName: 'Hopper', email: 'grace@navy.test', company: 'Navy Ltd' },
  }),
  event('2025-01-10T08:05:00Z', 'subscription.created', {
    subscriptionId: 's1',
    plan: 'basic',
    status: 'trialing',
    trialEndsAt: '2025-01-24',
  }),
  event('2025-01-24T00:00:00Z', 'subscription.activated', { subscriptionId: 's1' }, system),
  event('2025-05-02T12:00:00Z', 'subscription.upgraded', { subscription: { id: 's1', plan: { name: 'Pro' } } }),
  ...Array.from({ length: 12 }, (_, month) => {
    const day = new Date(Date.UTC(2025, 1 + month, 24)).toISOString();
    return event(day, 'subscription.renewed', { subscriptionId: 's1', amount: 49, currency: 'USD' }, system);
  }),
  ...Array.from({ length: 31 }, (_, day) =>
    event(new Date(Date.UTC(2026, 0, 1 + day, 9)).toISOString(), 'user.logged_in'),
  ),
  ...Array.from({ length: 4 }, (_, day) =>
    event(new Date(Date.UTC(2026, 0, 1 + day, 10)).toISOString(), 'report.exported'),
  ),
  event(
    '2026-02-24T00:00:00Z',
    'invoice.payment_failed',
    { invoiceId: 'i9', subscriptionId: 's1', amount: '49.00', currency: 'USD' },
    system,
  ),
  event('2026-02-24T00:00:01Z', 'subscription.past_due', { subscriptionId: 's1' }, system),
];

export const trialist = [
  event('2026-03-01T08:00:00Z', 'user.registered', { name: 'Alan Turing', email: 'alan@bletchley.test' }),
  event('2026-03-01T08:05:00Z', 'trial.started', { plan: 'team_monthly', trialEndsAt: '2026-03-15T08:05:00Z' }),
  event('2026-03-02T08:05:00Z', 'email.received', {}),
  event('2026-03-02T09:05:00Z', 'message.sent', { channel: 'email' }, agent),
  event('2026-03-02T08:00:00Z', 'page.viewed', { path: '/docs' }),
  event('2026-03-02T08:01:00Z', 'page.viewed', { path: '/docs' }),
  event('2026-03-02T08:02:00Z', 'page.viewed', { path: '/pricing' }),
];

export const lostSubscriber = [
  event('2024-05-05T08:00:00Z', 'subscription.started', { id: 's7', planName: 'Solo' }),
  event('2025-04-20T08:00:00Z', 'subscription.cancelled', {
    id: 's7',
    cancelAtPeriodEnd: true,
    currentPeriodEnd: '2025-05-05T08:00:00Z',
  }),
  event('2025-05-05T08:00:00Z', 'subscription.expired', { id: 's7' }),
  event('2025-05-06T08:00:00Z', 'survey.answered', { score: 6 }),
];

/** Five thousand events of everything. */
export const heavyUser = [
  event('2023-01-01T00:00:00Z', 'customer.created', {
    fullName: 'Katherine Johnson',
    email: 'kj@nasa.test',
    plan: 'gold',
  }),
  ...Array.from({ length: 5000 }, (_, index) => {
    const at = new Date(Date.UTC(2023, 0, 2) + index * 5 * 3_600_000).toISOString();
    const orderId = `O-${Math.floor(index / 10)}`;
    const currency = Math.floor(index / 10) % 7 === 0 ? 'JPY' : 'GBP';
    const kinds = [
      () => event(at, 'page.viewed', { path: `/p/${index % 90}` }),
      () => event(at, 'order.placed', { orderId, amount: currency === 'JPY' ? 3000 : '19.99', currency }),
      () => event(at, 'payment.succeeded', { orderId, amount: currency === 'JPY' ? 3000 : '19.99', currency }),
      () => event(at, 'wishlist.item_added', { sku: index }),
      () => event(at, 'page.viewed', { path: '/' }),
      () => event(at, 'user.logged_in', {}),
      () => event(at, 'order.delivered', { orderId }),
      () => event(at, 'chat.message.sent', { direction: index % 20 === 7 ? 'inbound' : 'outbound' }),
      () => event(at, 'coupon.redeemed', {}),
      () => event(at, 'page.viewed', { title: 'Sale' }),
    ];
    return kinds[index % 10]!();
  }),
];
