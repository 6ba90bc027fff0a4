import type { Position } from './event.ts';
import { emptyTotals, type Money, type Totals } from './money.ts';
import { emptyTally, type Tally } from './tally.ts';
import { emptyTracked, type Tracked } from './tracked.ts';

/** Raise it with any change that could alter a story or a state: stored ones of another version are made anew. */
export const composerVersion = 1;

/** How many of each a state remembers by name; counts and sums go on beyond it. Together under 64 KiB of JSON. */
export const bounds = {
  orders: 20,
  payments: 20,
  subscriptions: 8,
  tickets: 20,
  pages: 20,
  channels: 8,
  otherNames: 24,
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
};

/**
 * What is known about one customer after their events so far. Plain JSON: arrays instead of maps keyed by senders'
 * ids, null instead of undefined, instants as ISO 8601 with milliseconds.
 */
export type StoryState = {
  eventCount: number;
  firstAt: string | null;
  last: Position | null;
  person: PersonFacts;
  orders: OrderFacts;
  payments: PaymentFacts;
  subscriptions: SubscriptionFacts;
  tickets: TicketFacts;
  messages: MessageFacts;
  pages: PageFacts;
  others: Tally;
};

export type PersonFacts = {
  name: string;
  /** Whether the name comes from the person's own profile rather than from, say, an order form. */
  nameFromProfile: boolean;
  email: string;
  company: string;
  plan: string;
  /** Whether all events so far are of an anonymous visitor. */
  isVisitor: boolean;
  registeredAt: string | null;
  closedAt: string | null;
  loginCount: number;
  lastLoginAt: string | null;
  updateCount: number;
};

export type OrderStage = 'placed' | 'paid' | 'shipped' | 'delivered' | 'completed' | 'cancelled';

export type OrderEntry = {
  id: string;
  open: boolean;
  stage: OrderStage;
  placedAt: string;
  worth: Money | null;
  refundedMinor: string;
  isRefunded: boolean;
  isReturned: boolean;
};

/** `worth − withdrawn − refunds` is what the orders left: a refund after a cancellation moves from one to the other. */
export type OrderFacts = {
  placed: number;
  /** Whether the sender reports new orders: then an unknown order in a later stage is one that was forgotten. */
  reportsPlacing: boolean;
  delivered: number;
  completed: number;
  cancelled: number;
  returned: number;
  /** Given back in full; partial refunds show in the sums alone. */
  refunded: number;
  worth: Totals;
  withdrawn: Totals;
  refunds: Totals;
  firstAt: string | null;
  latest: { id: string; at: string; items: string } | null;
  tracked: Tracked<OrderEntry>;
};

/** Money that has not come yet. `references` name the payment and what it is for. */
export type DuePayment = {
  stage: 'failed' | 'overdue' | 'pending';
  references: string[];
  money: Money | null;
  at: string;
};

export type PaymentFacts = {
  succeeded: number;
  failed: number;
  refunded: number;
  disputed: number;
  received: Totals;
  refunds: Totals;
  firstSucceededAt: string | null;
  lastSucceededAt: string | null;
  lastFailedAt: string | null;
  due: DuePayment[];
};

export type SubscriptionStatus = 'trialing' | 'active' | 'past_due' | 'paused' | 'ending' | 'cancelled' | 'expired';

export type SubscriptionEntry = {
  id: string;
  open: boolean;
  plan: string;
  status: SubscriptionStatus;
  startedAt: string;
  changedAt: string;
  /** When a trial or an ending subscription runs out. */
  endsAt: string | null;
};

export type SubscriptionFacts = {
  started: number;
  /** When the first one was more than a trial. */
  paidSince: string | null;
  renewed: number;
  lastRenewedAt: string | null;
  renewals: Totals;
  upgraded: number;
  downgraded: number;
  lastChange: { kind: 'upgraded' | 'downgraded' | 'changed'; from: string; to: string; at: string } | null;
  tracked: Tracked<SubscriptionEntry>;
};

export type TicketEntry = {
  id: string;
  open: boolean;
  subject: string;
  openedAt: string;
};

export type TicketFacts = {
  opened: number;
  reopened: number;
  replies: number;
  lastOpenedAt: string | null;
  tracked: Tracked<TicketEntry>;
};

export type MessageFacts = {
  fromCustomer: number;
  toCustomer: number;
  channels: Tally;
  lastAt: string | null;
};

export type PageFacts = {
  views: Tally;
  lastPage: string;
  lastAt: string | null;
};

/** The state before any event. */
export function emptyState(): StoryState {
  return {
    eventCount: 0,
    firstAt: null,
    last: null,
    person: emptyPerson(),
    orders: emptyOrders(),
    payments: emptyPayments(),
    subscriptions: emptySubscriptions(),
    tickets: { opened: 0, reopened: 0, replies: 0, lastOpenedAt: null, tracked: emptyTracked() },
    messages: { fromCustomer: 0, toCustomer: 0, channels: emptyTally(), lastAt: null },
    pages: { views: emptyTally(), lastPage: '', lastAt: null },
    others: emptyTally(),
  };
}

function emptyPerson(): PersonFacts {
  const texts = { name: '', nameFromProfile: false, email: '', company: '', plan: '', isVisitor: false };
  return { ...texts, registeredAt: null, closedAt: null, loginCount: 0, lastLoginAt: null, updateCount: 0 };
}

function emptyOrders(): OrderFacts {
  const counts = {
    placed: 0,
    reportsPlacing: false,
    delivered: 0,
    completed: 0,
    cancelled: 0,
    returned: 0,
    refunded: 0,
  };
  const sums = { worth: emptyTotals(), withdrawn: emptyTotals(), refunds: emptyTotals() };
  return { ...counts, ...sums, firstAt: null, latest: null, tracked: emptyTracked() };
}

function emptyPayments(): PaymentFacts {
  const counts = { succeeded: 0, failed: 0, refunded: 0, disputed: 0 };
  const sums = { received: emptyTotals(), refunds: emptyTotals() };
  const dates = { firstSucceededAt: null, lastSucceededAt: null, lastFailedAt: null };
  return { ...counts, ...sums, ...dates, due: [] };
}

function emptySubscriptions(): SubscriptionFacts {
  const counts = { started: 0, renewed: 0, upgraded: 0, downgraded: 0 };
  return {
    ...counts,
    paidSince: null,
    lastRenewedAt: null,
    renewals: emptyTotals(),
    lastChange: null,
    tracked: emptyTracked(),
  };
}
