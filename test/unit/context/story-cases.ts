import type { StoredEvent } from '../../../services/context/story/event.ts';
import { event } from './histories.ts';

/** What happens, the events, and what their story has in English. */
export type Case = [name: string, events: StoredEvent[], english: string];

/** The events one after another, a day each from 1 March 2026. */
const days = (...steps: [name: string, payload?: Record<string, unknown>][]) =>
  steps.map(([name, payload], index) => event(new Date(Date.UTC(2026, 2, 1 + index, 12)).toISOString(), name, payload));

const A = { orderId: 'A-1', total: 50, currency: 'EUR' };
const B = { orderId: 'B-1', total: 25, currency: 'EUR' };
const P = { paymentId: 'p1', amount: 50, currency: 'EUR' };

/** A part of the summary. */
export const summaryCases: Case[] = [
  [
    'one order',
    days(['order.created', A]),
    'That day they placed 1 order (A-1) worth 50.00 EUR. As of 1 March 2026, their order is open.',
  ],
  [
    'one order of unknown amount',
    days(['order.created', { orderId: 'A-1' }]),
    'That day they placed order A-1 (amount unknown). As of 1 March 2026, their order is open.',
  ],
  [
    'one order of unknown amount with its items and outcome',
    days(
      ['order.created', { orderId: 'Order-7', items: [{ name: 'Saddle' }] }],
      ['order.delivered', { orderId: 'Order-7' }],
    ),
    'That day they placed Order-7: Saddle (amount unknown), which was delivered. No open orders or tickets.',
  ],
  [
    'a shipped order',
    days(['order.created', A], ['order.shipped', A]),
    'As of 2 March 2026, their order is on its way.',
  ],
  [
    'a status change',
    days(['order.created', A], ['order.status_changed', { id: 'A-1', status: 'Shipped' }]),
    'As of 2 March 2026, their order is on its way.',
  ],
  [
    'a delivered order',
    days(['order.created', A], ['order.delivered', A]),
    'That day they placed 1 order (A-1) worth 50.00 EUR, which was delivered. No open orders or tickets',
  ],
  [
    'steps told in the wrong order',
    days(['order.created', A], ['order.delivered', A], ['order.shipped', A]),
    'which was delivered. No open orders or tickets',
  ],
  ['an order first heard of when paid', days(['order.paid', A]), 'That day they placed 1 order (A-1) worth 50.00 EUR'],
  [
    'three orders',
    days(
      ['order.created', A],
      ['order.created', { ...A, orderId: 'A-2' }],
      ['order.created', { ...A, orderId: 'A-3', currency: 'USD' }],
    ),
    'They placed 3 orders worth 100.00 EUR and 50.00 USD between 1 and 3 March 2026; the latest is A-3. As of 3 March 2026, 3 orders are open (A-3, A-2 and A-1).',
  ],
  [
    'an order told twice',
    days(['order.created', A], ['order.placed', A]),
    'That day they placed 1 order (A-1) worth 50.00 EUR',
  ],
  [
    'an edited order',
    days(['order.created', A], ['order.updated', { ...A, total: 70 }]),
    'That day they placed 1 order (A-1) worth 70.00 EUR',
  ],
  [
    'a cancelled order',
    days(['order.created', A], ['order.canceled', { orderId: 'A-1' }]),
    'which was cancelled. No open orders or tickets',
  ],
  [
    'a refund after a cancellation, counted once',
    days(['order.created', A], ['order.created', B], ['order.cancelled', A], ['order.refunded', A]),
    'of which 1 was cancelled; 1 was refunded; the latest is B-1. After refunds of 50.00 EUR, the orders come to 25.00 EUR.',
  ],
  [
    'a partial refund',
    days(['order.created', A], ['order.delivered', A], ['order.refunded', { orderId: 'A-1', refundAmount: '20' }]),
    'After refunds of 20.00 EUR, the order comes to 30.00 EUR.',
  ],
  [
    'repeated refunds never exceed the order',
    days(['order.created', A], ['order.created', B], ['order.refunded', A], ['order.refunded', A]),
    'After refunds of 50.00 EUR, the orders come to 25.00 EUR.',
  ],
  [
    'partial refunds of all of an order',
    days(
      ['order.created', { ...A, total: 10 }],
      ['order.partially_refunded', { orderId: 'A-1', refundAmount: 5 }],
      ['order.partially_refunded', { orderId: 'A-1', refundAmount: 5 }],
    ),
    'That day they placed 1 order (A-1) worth 10.00 EUR, which was refunded. No open orders or tickets',
  ],
  [
    'partial refunds of more than an order',
    days(
      ['order.created', A],
      ['order.delivered', A],
      ['order.partially_refunded', { orderId: 'A-1', refundAmount: 30 }],
      ['order.partially_refunded', { orderId: 'A-1', refundAmount: 30 }],
    ),
    'That day they placed 1 order (A-1) worth 50.00 EUR, which was delivered and refunded. No open orders or tickets',
  ],
  [
    'a refund that is larger than its order',
    days(['order.created', A], ['order.refunded', { orderId: 'A-1', refundAmount: 60 }]),
    'which was refunded. The record shows refunds of 60.00 EUR. No open orders or tickets',
  ],
  [
    'running totals of an order’s refunds',
    days(
      ['order.created', A],
      ['order.refunded', { orderId: 'A-1', amountRefunded: 10 }],
      ['order.refunded', { orderId: 'A-1', amountRefunded: 25 }],
    ),
    'After refunds of 25.00 EUR, the order comes to 25.00 EUR.',
  ],
  [
    'one refund of an order, told twice by its id',
    days(
      ['order.created', A],
      ['order.refund_issued', { orderId: 'A-1', refundId: 'r1', amount: 10 }],
      ['order.refund_completed', { orderId: 'A-1', refundId: 'r1', amount: 10 }],
    ),
    'After refunds of 10.00 EUR, the order comes to 40.00 EUR.',
  ],
  [
    'a partial refund and a cancellation',
    days(['order.created', A], ['order.refunded', { orderId: 'A-1', amount: 20 }], ['order.cancelled', A]),
    'which was cancelled. After cancellations of 30.00 EUR and refunds of 20.00 EUR, the order comes to 0.00 EUR.',
  ],
  [
    'refunds of an order that only its payment reports',
    days(
      ['order.created', A],
      ['refund.created', { orderId: 'A-1', amount: 20, currency: 'EUR' }],
      ['refund.created', { orderId: 'A-1', amount: 30, currency: 'EUR' }],
    ),
    'That day they placed 1 order (A-1) worth 50.00 EUR, which was refunded. No open orders or tickets',
  ],
  [
    'refunds of two orders, one told by its order and one by its payment',
    days(
      ['order.created', A],
      ['payment.succeeded', { ...P, orderId: 'A-1' }],
      ['order.created', B],
      ['payment.succeeded', { paymentId: 'p2', orderId: 'B-1', amount: 25, currency: 'EUR' }],
      ['order.refunded', { orderId: 'A-1', amount: 10 }],
      ['refund.created', { paymentId: 'p2', amount: 5, currency: 'EUR' }],
    ),
    'and 15.00 EUR was refunded, leaving 60.00 EUR.',
  ],
  [
    'an order that was cancelled after its delivery',
    days(['order.created', A], ['order.delivered', A], ['order.cancelled', { orderId: 'A-1', reason: 'late' }]),
    'worth 50.00 EUR, which was delivered and cancelled (reason: “late”). No open orders or tickets',
  ],
  [
    'one of two delivered orders cancelled',
    days(
      ['order.created', A],
      ['order.created', B],
      ['order.delivered', A],
      ['order.delivered', B],
      ['order.cancelled', { orderId: 'A-1' }],
    ),
    'both of which were delivered; 1 was cancelled; the latest is B-1. After cancellations of 50.00 EUR, the orders come to 25.00 EUR.',
  ],
  [
    'orders whose ids are placeholders',
    days(['order.created', { ...A, orderId: '{{order.id}}' }], ['order.created', { ...B, orderId: '{{order.id}}' }]),
    'They placed 2 orders worth 75.00 EUR between 1 and 2 March 2026.',
  ],
  [
    'every order delivered',
    days(['order.created', A], ['order.created', B], ['order.delivered', A], ['order.delivered', B]),
    'They placed 2 orders worth 75.00 EUR between 1 and 2 March 2026, both of which were delivered; the latest is B-1.',
  ],
  [
    'orders paid for in full',
    days(
      ['order.created', A],
      ['payment.succeeded', { ...P, orderId: 'A-1' }],
      ['order.created', B],
      ['payment.succeeded', { paymentId: 'p2', orderId: 'B-1', amount: 25, currency: 'EUR' }],
    ),
    'They paid for all of it in 2 payments, the latest on 4 March 2026. As of 4 March 2026, 2 orders are open (B-1 and A-1).',
  ],
  [
    'an order whose id says what it is',
    days(['order.created', B], ['order.delivered', B], ['order.created', { ...A, orderId: 'Order-7' }]),
    'As of 3 March 2026, Order-7 (50.00 EUR) has been open since 3 March 2026.',
  ],
  [
    'one of several orders, paid',
    days(['order.created', B], ['order.delivered', B], ['order.created', A], ['order.paid', A]),
    'As of 4 March 2026, order A-1 (50.00 EUR, paid) has been open since 3 March 2026.',
  ],
  [
    'nameless orders',
    days(['order.created', {}], ['order.created', {}]),
    'They placed 2 orders without known amounts between',
  ],

  ['a payment', days(['payment.succeeded', P]), 'They made 1 payment of 50.00 EUR on 1 March 2026. No open'],
  ...(
    [
      ['the smaller', { paymentId: 'p1' }],
      ['the larger', { paymentId: 'p2' }],
      ['neither', {}],
      ['their order', { orderId: 'A-1' }],
      ['their invoice', { invoiceId: 'i1' }],
    ] as const
  ).map(
    ([which, reference]): Case => [
      `payments of 10 and 20, and a refund of 15 that names ${which}`,
      days(
        ['payment.succeeded', { paymentId: 'p2', orderId: 'A-1', invoiceId: 'i1', amount: 20, currency: 'EUR' }],
        ['payment.succeeded', { paymentId: 'p1', orderId: 'A-1', invoiceId: 'i1', amount: 10, currency: 'EUR' }],
        ['payment.refunded', { ...reference, amount: 15, currency: 'EUR' }],
      ),
      'They made 2 payments totalling 30.00 EUR, the latest on 2 March 2026, and 15.00 EUR was refunded, leaving 15.00 EUR.',
    ],
  ),
  [
    'a refunded payment',
    days(['charge.succeeded', P], ['payment.refunded', { ...P, amount: 20 }]),
    'on 1 March 2026, and 20.00 EUR was refunded, leaving 30.00 EUR.',
  ],
  [
    'one refund told by order and payment',
    days(
      ['order.created', A],
      ['payment.succeeded', { ...P, orderId: 'A-1' }],
      ['order.refunded', A],
      ['refund.created', P],
    ),
    'They paid for it in full on 2 March 2026, and all of it was refunded. No open orders or tickets',
  ],
  [
    'refunds in two currencies',
    days(
      ['payment.succeeded', P],
      ['payment.succeeded', { ...P, currency: 'USD' }],
      ['payment.refunded', { ...P, amount: 1 }],
      ['payment.refunded', { ...P, amount: 2, currency: 'USD' }],
    ),
    'and 1.00 EUR and 2.00 USD were refunded, leaving 49.00 EUR and 48.00 USD.',
  ],
  [
    'a failed payment',
    days(['payment.failed', P]),
    'No purchase is on record yet. As of 1 March 2026, a payment of 50.00 EUR that failed on 1 March 2026 is still due.',
  ],
  [
    'a second try with the same id',
    days(['payment.failed', P], ['payment.succeeded', P]),
    'They had 1 failed payment attempt on 1 March 2026; they made 1 payment of 50.00 EUR on 2 March 2026. No open orders or tickets',
  ],
  [
    'a second try for the same order',
    days(
      ['payment.failed', { ...P, orderId: 'A-1' }],
      ['payment.succeeded', { ...P, paymentId: 'p2', orderId: 'A-1' }],
    ),
    'No open orders or tickets',
  ],
  [
    'a second try of the same amount',
    days(['payment.failed', P], ['payment.succeeded', { ...P, paymentId: 'p2' }]),
    'No open orders or tickets',
  ],
  [
    'another payment settles nothing',
    days(['payment.failed', P], ['payment.succeeded', { ...P, paymentId: 'p2', amount: 9 }]),
    'a payment of 50.00 EUR that failed on 1 March 2026 is still due.',
  ],
  [
    'three tries for one order are one debt',
    days(
      ...['a', 'b', 'c'].map(
        (paymentId) => ['payment.failed', { ...P, paymentId, orderId: 'A-1' }] as [string, Record<string, unknown>],
      ),
    ),
    'They had 3 failed payment attempts, the latest on 3 March 2026. As of 3 March 2026, a payment of 50.00 EUR that failed on 3 March 2026 is still due.',
  ],
  [
    'two debts',
    days(['payment.failed', P], ['payment.failed', { ...P, paymentId: 'p2' }]),
    '2 failed payments (100.00 EUR) are still due.',
  ],
  [
    'a cancelled order asks for no payment',
    days(['order.created', A], ['payment.failed', { ...P, orderId: 'A-1' }], ['order.cancelled', A]),
    'No open orders or tickets',
  ],
  [
    'an open invoice',
    days(['invoice.created', { invoiceId: 'i1', total: 10, currency: 'EUR' }]),
    'No purchase is on record yet. As of 1 March 2026, a payment of 10.00 EUR has been pending since 1 March 2026.',
  ],
  [
    'an overdue invoice',
    days(['invoice.sent', { id: 'i1' }], ['invoice.overdue', { id: 'i1' }]),
    'a payment of unknown amount has been overdue since 2 March 2026.',
  ],
  ['a dispute', days(['payment.succeeded', P], ['payment.disputed', P]), '; they disputed 1 payment on 2 March 2026.'],

  [
    'a running subscription',
    days(['subscription.created', { plan: 'pro' }]),
    'Their Pro subscription started on 1 March 2026 and is active. No open',
  ],
  [
    'a trial',
    days(['subscription.created', { plan: 'pro', trialEndsAt: '2026-03-15' }]),
    'Their Pro trial started on 1 March 2026 and runs until 15 March 2026. As of 1 March 2026, the Pro trial is still running.',
  ],
  [
    'a trial that nobody ended',
    days(['trial.started', { trialEndsAt: '2026-03-02' }], ['user.logged_in'], ['user.logged_in']),
    'Their trial started on 1 March 2026 and ran out on 2 March 2026.',
  ],
  [
    'a trial until a day that does not exist',
    days(['trial.started', { trialEndsAt: '2026-02-30' }], ['user.logged_in']),
    'Their trial started on 1 March 2026 and is still running.',
  ],
  [
    'a cancellation for the end of time',
    days(['subscription.created'], ['subscription.cancelled', { cancelAt: 253402300800, cancelAtPeriodEnd: true }]),
    'was cancelled on 2 March 2026, to end with the paid period.',
  ],
  [
    'a trial that became more',
    days(['trial.started', { plan: 'pro' }], ['subscription.activated', {}]),
    'Their Pro trial started on 1 March 2026, became a paid subscription on 2 March 2026 and is active.',
  ],
  [
    'an upgrade',
    days(['subscription.created', { plan: 'basic' }], ['subscription.upgraded', { newPlan: 'pro' }]),
    'Their Basic subscription started on 1 March 2026, was upgraded from Basic to Pro on 2 March 2026 and is active.',
  ],
  [
    'a change of plan by an update',
    days(['subscription.created', { plan: 'basic' }], ['subscription.updated', { plan: { name: 'team' } }]),
    ', was changed from Basic to Team on 2 March 2026 and is active.',
  ],
  [
    'a nested event name',
    days(['customer.subscription.updated', { data: { object: { id: 's1', status: 'past_due' } } }]),
    'has been past due since 1 March 2026. As of 1 March 2026, the subscription is past due.',
  ],
  [
    'a payment heals it',
    days(['subscription.past_due', { subscriptionId: 's1' }], ['payment.succeeded', { ...P, subscriptionId: 's1' }]),
    'is active. They made 1 payment of 50.00 EUR on 2 March 2026. No open orders or tickets',
  ],
  [
    'cancelled at once',
    days(['subscription.created'], ['subscription.cancelled']),
    'and was cancelled on 2 March 2026. No open',
  ],
  [
    'cancelled for later',
    days(['subscription.created'], ['subscription.cancelled', { cancelAt: '2026-04-01' }]),
    'and was cancelled on 2 March 2026, to end on 1 April 2026. As of 2 March 2026, the subscription is about to end.',
  ],
  [
    'one renewal',
    days(['subscription.created'], ['subscription.renewed', { amount: 9, currency: 'EUR' }]),
    ', was renewed once on 2 March 2026 for 9.00 EUR and is active.',
  ],
  [
    'ups and downs',
    days(
      ['subscription.created', { plan: 'basic' }],
      ['subscription.upgraded', { plan: 'pro' }],
      ['subscription.downgraded', { plan: 'basic' }],
    ),
    ', was upgraded once and downgraded once (most recently downgraded from Pro to Basic on 3 March 2026) and is active.',
  ],
  [
    'two upgrades',
    days(
      ['subscription.created', { plan: 'basic' }],
      ['subscription.upgraded', { plan: 'pro' }],
      ['subscription.upgraded', { plan: 'team' }],
    ),
    ', was upgraded twice (most recently from Pro to Team on 3 March 2026) and is active.',
  ],
  [
    'two subscriptions',
    days(['subscription.created', { id: 's1' }], ['subscription.created', { id: 's2' }]),
    'Their subscription started on 1 March 2026 and is active; another subscription started on 2 March 2026 and is active.',
  ],

  [
    'a ticket',
    days(['ticket.created', { id: 'T-1', subject: ' Where  is\nmy parcel? ' }]),
    'They opened 1 ticket (“Where is my parcel?”) on 1 March 2026, which is still open. As of 1 March 2026, ticket T-1 (“Where is my parcel?”) has been open since 1 March 2026.',
  ],
  [
    'a resolved ticket',
    days(['ticket.created', { id: 'T-1' }], ['ticket.replied', { id: 'T-1' }], ['ticket.closed', { ticketId: 'T-1' }]),
    'They opened 1 ticket on 1 March 2026, which got 1 reply and is resolved. No open orders or tickets',
  ],
  [
    'a reopened ticket',
    days(['ticket.created', { id: 'T-1' }], ['ticket.closed', { id: 'T-1' }], ['ticket.reopened', { id: 'T-1' }]),
    'which is still open after 1 reopening.',
  ],
  [
    'answered tickets',
    days(['ticket.created', { id: 'T-1' }], ['ticket.replied', { id: 'T-1' }], ['ticket.created', { id: 'T-2' }]),
    'They opened 2 tickets (the latest on 3 March 2026), which got 1 reply; both are still open.',
  ],
  [
    'a ticket and a message',
    days(['ticket.created', { id: 'T-1' }], ['message.sent', { channel: 'chatapp' }]),
    'which is still open; they sent 1 message via a chat app on 2 March 2026.',
  ],
  [
    'three tickets',
    days(
      ['ticket.created', { id: 'T-1' }],
      ['ticket.created', { id: 'T-2', subject: 'Billing' }],
      ['ticket.closed', { id: 'T-1' }],
      ['ticket.created', { id: 'T-3' }],
    ),
    'They opened 3 tickets (the latest on 4 March 2026); 1 of them is resolved. As of 4 March 2026, 2 tickets are open (T-3 and “Billing”).',
  ],

  [
    'messages of one side',
    days(['message.sent', { channel: 'whatsapp' }], ['message.sent', { channel: 'whatsapp' }]),
    'They sent 2 messages via WhatsApp, the last on 2 March 2026.',
  ],
  [
    'messages of both sides',
    days(['message.received', { channel: 'email' }], ['message.sent', { direction: 'outbound', channel: 'sms' }]),
    'They exchanged 2 messages (1 from them and 1 to them) mostly via email, the last on 2 March 2026.',
  ],

  [
    'pages',
    days(
      ['page.viewed', { url: 'https://x.test/a?token=1' }],
      ['page.viewed', { path: '/a' }],
      ['page.viewed', { path: '/b' }],
    ),
    'They viewed pages 3 times (most often “/a”, twice; most recently on 3 March 2026).',
  ],
  ['a nameless page', days(['page.viewed', {}]), 'They viewed a page on 1 March 2026.'],
  [
    'logins and changes',
    days(['user.logged_in'], ['user.login'], ['user.profile_updated']),
    'They logged in twice (most recently on 2 March 2026) and updated their profile on 3 March 2026.',
  ],
  [
    'anything else',
    days(['wishlist.itemAdded'], ['wishlist.item_added'], ['a.b'], ['c.d'], ['e.f']),
    'The record shows “wishlist item added” twice, the last on 2 March 2026, “a b” on 3 March 2026, “c d” on 4 March 2026 and “e f” on 5 March 2026.',
  ],
  [
    'more unknown names than are shown',
    days(['a.a'], ['a.b'], ['a.b'], ['a.c'], ['a.d'], ['a.e'], ['a.f']),
    'The record shows 1 earlier event of other kinds, “a b” twice, the last on 3 March 2026, “a c” on',
  ],
  [
    'one field of an unknown event, and none that identifies or authorizes',
    days(
      ['course.booked', { id: 'c-1', password: 'x', contactEmail: 'a@b.test', token: 'abc', seats: 3 }],
      ['link.opened', { target: 'https://shop.test/?code=1', session: 'x', ref: '+49 151 2345678' }],
    ),
    'The record shows “course booked” on 1 March 2026 (seats: 3) and “link opened” on 2 March 2026.',
  ],
  [
    'an unknown step of a known thing',
    days(['order.gift_wrapped', A]),
    'The record shows “order gift wrapped” on 1 March 2026 (50.00 EUR).',
  ],
  [
    'nothing but a registration',
    days(['user.registered', { name: 'Ada' }]),
    'Ada registered on 1 March 2026. No purchase is on record yet. No open orders or tickets.',
  ],
];

const orders = (count: number) =>
  Array.from(
    { length: count },
    (_, index) => ['order.completed', { id: `A-${index}` }] as [string, Record<string, unknown>],
  );
/** The title. */
export const titleCases: Case[] = [
  [
    'a name in parts',
    days(['user.created', { first_name: 'Ada', last_name: 'Byron' }]),
    'Ada Byron, registered user since March 2026',
  ],
  [
    'an email when there is no name',
    days(['user.created', { email: 'ADA@example.com' }]),
    'ada@example.com, registered user since March 2026',
  ],
  [
    'a name that says nothing',
    days(['user.created', { name: 'undefined undefined' }]),
    'cus_1, registered user since March 2026',
  ],
  ...['{{customer.name}}', '<nil>', '(null)', '%s', 'Guest', 'null null', 'Dear {first_name}'].map(
    (name): Case => [
      `a name that is ${name}`,
      days(['user.created', { name }]),
      'cus_1, registered user since March 2026',
    ],
  ),
  [
    'a profile beats an order form',
    days(['user.updated', { name: 'Ada Byron' }], ['order.completed', { customer: { name: 'A. Byron' } }]),
    'Ada Byron, new customer since March 2026',
  ],
  [
    'the later profile wins',
    days(['user.created', { name: 'Ada Byron' }], ['user.updated', { name: 'Ada Lovelace' }]),
    'Ada Lovelace, registered user since March 2026',
  ],
  [
    'a customer’s name from an order',
    days(['order.completed', { customerName: 'Ada' }]),
    'Ada, new customer since March 2026',
  ],
  ['returning', days(...orders(3)), 'cus_1, returning customer since March 2026'],
  ['loyal', [...days(...orders(5)), event('2026-10-01T00:00:00Z', 'a.b')], 'cus_1, loyal customer since March 2026'],
  [
    'not new after a month',
    [...days(...orders(1)), event('2026-10-01T00:00:00Z', 'a.b')],
    'cus_1, customer since March 2026',
  ],
  ['an order that was called off', days(['order.created', A], ['order.cancelled', A]), 'cus_1, known since March 2026'],
  [
    'past due before all',
    days(['subscription.past_due'], ['payment.failed'], ['ticket.created']),
    'cus_1, customer since at least March 2026, subscription past due',
  ],
  [
    'open tickets',
    days(['ticket.created', { id: 1 }], ['ticket.created', { id: 2 }]),
    'cus_1, contact since March 2026, 2 open tickets',
  ],
  ['open orders', days(['order.created', A]), 'cus_1, new customer since March 2026, 1 open order'],
  [
    'an ending subscription',
    days(['subscription.created'], ['subscription.cancelled', { cancelAt: '2026-04-01' }]),
    'cus_1, new customer since March 2026, subscription ending on 1 April 2026',
  ],
  ['a closed account', days(['user.created'], ['user.deleted']), 'cus_1, account closed in March 2026'],
  ['a signed-in user', days(['user.logged_in']), 'cus_1, user since March 2026'],
];
