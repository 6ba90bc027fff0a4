import type { Position } from './event.ts';
import { emptyTotals, type Money, type Totals } from './money.ts';
import type { Refunded } from './refunds.ts';
import { emptyTally, type Tally } from './tally.ts';
import { emptyTenure, type Tenure } from './tenure.ts';
import { emptyTracked, type Tracked } from './tracked.ts';

/**
 * Raise it with any change that could alter a state: each version folds from the first event, next to the fold of the
 * version before (decision 0050). `last.at` keeps its name and form in all versions.
 */
export const composerVersion = 4;

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
  others: OtherFacts;
  tenure: Tenure;
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
  closingReason: string;
  loginCount: number;
  lastLoginAt: string | null;
  updateCount: number;
  lastUpdateAt: string | null;
};

export type OrderStage = 'placed' | 'paid' | 'shipped' | 'delivered' | 'completed' | 'cancelled';

/** The refunds of an order, as its own events and the events of its payments report them. */
export type OrderRefunds = { currency: string; byOrder: Refunded; byPayments: Refunded };

export type OrderEntry = {
  id: string;
  open: boolean;
  stage: OrderStage;
  placedAt: string;
  worth: Money | null;
  /** Whether the order was forgotten once: then its worth is counted already. */
  isRecalled: boolean;
  refunds: OrderRefunds | null;
  /** Whether events of a payment name it. Then all its payments are expected to do so. */
  hasPayment: boolean;
  isRefunded: boolean;
  isReturned: boolean;
};

/**
 * `worth − withdrawn − refunds` is what the orders left: a refund after a cancellation moves from one to the other.
 * `pairedRefunds` are of the orders whose payments name them, by events of either; `refunds` are of the others.
 */
export type OrderFacts = {
  placed: number;
  /** Whether the sender reports new orders: then an unknown order in a later stage is one that was forgotten. */
  reportsPlacing: boolean;
  delivered: number;
  completed: number;
  cancelled: number;
  /** Why the latest cancelled order was cancelled; `''` when its event gave no reason. */
  cancelReason: string;
  returned: number;
  /** The number of orders refunded in full; partial refunds show only in the sums. */
  refunded: number;
  worth: Totals;
  withdrawn: Totals;
  refunds: Totals;
  pairedRefunds: Totals;
  refundIds: string[];
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

/** A payment that came, kept to recognize a second report of it and to bound its refunds. */
export type Receipt = Refunded & {
  references: string[];
  entity: string;
  at: string;
  money: Money | null;
};

/** `refunds` are the refunds without a known order. */
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
  lastDisputedAt: string | null;
  due: DuePayment[];
  receipts: Receipt[];
  refundIds: string[];
};

export type SubscriptionStatus = 'trialing' | 'active' | 'past_due' | 'paused' | 'ending' | 'cancelled' | 'expired';

export type SubscriptionEntry = {
  id: string;
  /** The id of the trial it began with, where the trial has a separate id. */
  trialId: string;
  /** Known from events of a trial alone: the subscription that follows it is the same one. */
  isTrialOnly: boolean;
  hadTrial: boolean;
  /** Whether its first event was its start, and not one of its later life. */
  isStartSeen: boolean;
  open: boolean;
  firstPlan: string;
  plan: string;
  status: SubscriptionStatus;
  startedAt: string;
  /** When it was more than a trial, and more than free. */
  paidSince: string | null;
  /** When its trial became a subscription. */
  convertedAt: string | null;
  changedAt: string;
  cancelledAt: string | null;
  reason: string;
  /** The last time it was paused or cancelled and then resumed. */
  lastBreak: { kind: 'paused' | 'cancelled'; from: string; to: string; reason: string } | null;
  /** When a trial or an ending subscription runs out. */
  endsAt: string | null;
  renewed: number;
  lastRenewedAt: string | null;
  renewals: Totals;
  upgraded: number;
  downgraded: number;
  switched: number;
  lastChange: { kind: 'upgraded' | 'downgraded' | 'changed'; from: string; to: string; at: string } | null;
};

export type SubscriptionFacts = {
  started: number;
  /** When the first one was more than a trial. */
  paidSince: string | null;
  firstAt: string | null;
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

/** An event name that no reducer knows, when it last came and what its payload then said. */
export type OtherEntry = {
  name: string;
  count: number;
  lastAt: string;
  detail: string;
};

/** The names that came last, the latest at the end; `forgotten` counts the events of those before. */
export type OtherFacts = {
  entries: OtherEntry[];
  forgotten: number;
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
    others: { entries: [], forgotten: 0 },
    tenure: emptyTenure(),
  };
}

function emptyPerson(): PersonFacts {
  const texts = { name: '', nameFromProfile: false, email: '', company: '', plan: '', isVisitor: false };
  const closing = { closedAt: null, closingReason: '' };
  const logins = { loginCount: 0, lastLoginAt: null };
  return { ...texts, ...closing, ...logins, registeredAt: null, updateCount: 0, lastUpdateAt: null };
}

function emptyOrders(): OrderFacts {
  const outcomes = { delivered: 0, completed: 0, cancelled: 0, cancelReason: '', returned: 0, refunded: 0 };
  const sums = { worth: emptyTotals(), withdrawn: emptyTotals(), refunds: emptyTotals(), pairedRefunds: emptyTotals() };
  const rest = { refundIds: [], firstAt: null, latest: null, tracked: emptyTracked<OrderEntry>() };
  return { placed: 0, reportsPlacing: false, ...outcomes, ...sums, ...rest };
}

function emptyPayments(): PaymentFacts {
  const counts = { succeeded: 0, failed: 0, refunded: 0, disputed: 0 };
  const sums = { received: emptyTotals(), refunds: emptyTotals() };
  const dates = { firstSucceededAt: null, lastSucceededAt: null, lastFailedAt: null, lastDisputedAt: null };
  return { ...counts, ...sums, ...dates, due: [], receipts: [], refundIds: [] };
}

function emptySubscriptions(): SubscriptionFacts {
  return { started: 0, paidSince: null, firstAt: null, tracked: emptyTracked() };
}
