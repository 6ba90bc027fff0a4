import { snakeCase } from '../text.ts';

/** Event names that stories understand. `docs/events.md` lists them, and a test compares the two. */

export type Family = 'order' | 'payment' | 'subscription' | 'ticket' | 'message' | 'person' | 'page';

/** The words of an event name that stand for a family; the first one is the one that `docs/events.md` shows. */
export const entities: Record<Family, string[]> = {
  order: ['order', 'orders', 'purchase'],
  payment: ['payment', 'payments', 'charge', 'invoice', 'refund', 'dispute', 'payment_intent', 'checkout'],
  subscription: ['subscription', 'subscriptions', 'trial'],
  ticket: ['ticket', 'tickets', 'case'],
  message: ['message', 'messages', 'email', 'sms', 'chat', 'conversation'],
  person: ['user', 'users', 'customer', 'customers', 'contact', 'account'],
  page: ['page', 'screen'],
};

/** In these words the entity says half of what happened: `trial.started` starts no ordinary subscription. */
export const tellingEntities = ['trial', 'refund', 'invoice', 'dispute', 'payment_intent', 'checkout'];

/** An update that carries a status counts as what the status says. */
export const updates = ['updated', 'changed', 'status_changed', 'status_updated', 'modified', 'edited'];

/** Each reducer's meanings and the senders' words for them, in snake case. */
export const meanings = {
  order: {
    placed: ['created', 'placed', 'submitted', 'confirmed', 'received', 'accepted', 'pending', 'processing'],
    paid: ['paid', 'payment_received', 'payment_succeeded'],
    shipped: ['shipped', 'dispatched', 'sent', 'out_for_delivery', 'in_transit', 'partially_shipped'],
    delivered: ['delivered', 'collected', 'picked_up'],
    completed: ['completed', 'fulfilled', 'closed'],
    cancelled: ['cancelled', 'canceled', 'voided', 'rejected', 'expired'],
    returned: ['returned', 'return_received', 'return_completed'],
    refunded: ['refunded', 'refund_issued', 'refund_completed'],
    partially_refunded: ['partially_refunded', 'partial_refund'],
  },
  payment: {
    succeeded: [
      ...['succeeded', 'paid', 'completed', 'captured', 'received', 'settled', 'success', 'invoice_paid'],
      ...['invoice_payment_succeeded', 'payment_intent_succeeded', 'checkout_session_completed'],
      'checkout_session_async_payment_succeeded',
    ],
    failed: ['failed', 'declined', 'rejected', 'invoice_payment_failed', 'payment_intent_payment_failed'],
    pending: [
      ...['pending', 'created', 'initiated', 'authorized', 'processing', 'payment_intent_processing'],
      ...['invoice_created', 'invoice_sent', 'invoice_issued', 'invoice_finalized'],
    ],
    overdue: ['overdue', 'invoice_overdue', 'invoice_past_due'],
    refunded: [
      ...['refunded', 'partially_refunded', 'refund_created', 'refund_succeeded', 'refund_completed', 'refund_issued'],
    ],
    disputed: ['disputed', 'chargeback', 'dispute_created', 'dispute_opened'],
    dropped: [
      ...['cancelled', 'canceled', 'voided', 'expired', 'invoice_voided', 'invoice_cancelled', 'invoice_canceled'],
      'payment_intent_canceled',
    ],
    unremarkable: ['payment_intent_created'],
  },
  subscription: {
    started: ['created', 'started', 'subscribed'],
    activated: [
      ...['activated', 'active', 'resumed', 'reactivated', 'converted', 'trial_converted', 'recovered'],
      ...['payment_succeeded', 'paid'],
    ],
    trialing: ['trial_started', 'trial_created', 'trialing', 'trial'],
    trial_ending: ['trial_will_end', 'trial_ending', 'trial_extended'],
    trial_over: ['trial_ended', 'trial_expired'],
    renewed: ['renewed', 'renewal_succeeded'],
    upgraded: ['upgraded'],
    downgraded: ['downgraded'],
    changed: ['plan_changed', 'switched'],
    past_due: ['past_due', 'payment_failed', 'unpaid', 'overdue', 'renewal_failed'],
    paused: ['paused', 'suspended'],
    cancelled: [
      ...['cancelled', 'canceled', 'cancel_requested', 'cancellation_scheduled', 'trial_cancelled', 'trial_canceled'],
    ],
    ended: ['expired', 'ended', 'terminated', 'deleted', 'incomplete_expired'],
  },
  ticket: {
    opened: ['opened', 'created', 'submitted', 'received', 'new', 'open'],
    replied: ['replied', 'reply_added', 'commented', 'comment_added', 'message_added', 'answered'],
    resolved: ['resolved', 'closed', 'solved', 'completed', 'cancelled', 'canceled'],
    reopened: ['reopened'],
  },
  message: {
    exchanged: ['sent', 'received', 'created', 'posted', 'replied', 'message_sent', 'message_received'],
  },
  person: {
    registered: [
      ...['registered', 'signed_up', 'signup', 'sign_up', 'created', 'registration_completed', 'account_created'],
      'activated',
    ],
    updated: [
      'profile_updated',
      'identified',
      'identify',
      'verified',
      'email_verified',
      'email_changed',
      'phone_verified',
    ],
    logged_in: ['logged_in', 'login', 'signed_in', 'session_started', 'login_succeeded'],
    closed: ['deleted', 'deactivated', 'closed', 'account_closed', 'account_deleted', 'unregistered'],
  },
  page: {
    viewed: ['viewed', 'view', 'visited', 'visit', 'opened'],
  },
} as const satisfies Record<Family, Record<string, readonly string[]>>;

export type Meaning<Name extends Family> = keyof (typeof meanings)[Name] & string;

const families = new Map(
  Object.entries(entities).flatMap(([family, words]) => words.map((word) => [word, family as Family] as const)),
);
const vocabularies = new Map(
  Object.entries<Record<string, readonly string[]>>(meanings).map(([family, words]) => [
    family,
    new Map(Object.entries(words).flatMap(([meaning, list]) => list.map((word) => [word, meaning] as const))),
  ]),
);

export function familyOf(entity: string): Family | undefined {
  return families.get(entity);
}

/** The meaning of a sender's word in a family. Uses maps, because the words are untrusted. */
export function lookUp<Name extends Family>(family: Name, word: string): Meaning<Name> | undefined {
  return vocabularies.get(family)?.get(snakeCase(word)) as Meaning<Name> | undefined;
}
