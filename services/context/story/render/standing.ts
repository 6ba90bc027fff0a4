import { daysBetween, isAfter } from '../dates.ts';
import type { StoryState, SubscriptionEntry, SubscriptionStatus } from '../state.ts';
import { openEntries } from '../tracked.ts';

/** How a person stands, from the closest tie down; the first that holds is theirs. */
export type Standing = {
  kind:
    | 'closed'
    | 'loyal'
    | 'returning'
    | 'new'
    | 'customer'
    | 'former'
    | 'trial'
    | 'registered'
    | 'user'
    | 'contact'
    | 'visitor'
    | 'known';
  since: string;
};

/** When the person first bought; not exact when it may have been before. */
export type Since = { at: string; isExact: boolean };

/** The status of a subscription once its date has passed, also without an event that says so. */
type CurrentStatus = SubscriptionStatus | 'trial_over' | 'ended';

const minLoyalPurchases = 5;
const loyalBuyerDays = 180;
const loyalSubscriberDays = 365;
const newCustomerDays = 30;

/** The ladder. "Now" is the customer's last event: a story has no clock. */
export function standingOf(state: StoryState): Standing {
  const { person } = state;
  const since = customerSince(state);
  if (person.closedAt) return { kind: 'closed', since: person.closedAt };
  if (since && isFormer(state)) return { kind: 'former', since };
  if (since) return { kind: customerKind(state, since), since };
  const trial = openEntries(state.subscriptions.tracked).find((entry) => statusOf(entry, state) === 'trialing');
  if (trial) return { kind: 'trial', since: trial.startedAt };
  if (person.registeredAt) return { kind: 'registered', since: person.registeredAt };
  return { kind: strangerKind(state), since: state.firstAt ?? '' };
}

/** When the person first bought: the earliest of an order that was not cancelled, a payment and a paid subscription. */
export function customerSince(state: StoryState): string | null {
  const firstOrderAt = keptOrders(state) > 0 ? state.orders.firstAt : null;
  const firsts = [firstOrderAt, state.payments.firstSucceededAt, state.subscriptions.paidSince];
  const instants = firsts.filter((at) => at !== null);
  return instants.reduce<string | null>((first, at) => (first && isAfter(at, first) ? first : at), null);
}

/** Whether the first purchase is on record, and not only a later event of the subscription that was bought. */
export function isFirstPurchaseSeen(state: StoryState): boolean {
  const since = customerSince(state);
  const { entries } = state.subscriptions.tracked;
  return entries.every((entry) => entry.isStartSeen || entry.paidSince !== since);
}

/** The main subscription: the open one touched last, otherwise the one touched last. */
export function mainSubscription(state: StoryState): SubscriptionEntry | undefined {
  const { tracked } = state.subscriptions;
  return openEntries(tracked).at(-1) ?? tracked.entries.at(-1);
}

export function statusOf(entry: SubscriptionEntry, state: StoryState): CurrentStatus {
  const isOver = entry.endsAt !== null && state.last !== null && !isAfter(entry.endsAt, state.last.at);
  if (!isOver) return entry.status;
  if (entry.status === 'trialing') return 'trial_over';
  return entry.status === 'ending' ? 'ended' : entry.status;
}

export function isLive(entry: SubscriptionEntry, state: StoryState): boolean {
  const status = statusOf(entry, state);
  return entry.open && status !== 'trial_over' && status !== 'ended';
}

/** When a subscription ended, or is set to. */
export function endOf(entry: SubscriptionEntry): string {
  return entry.endsAt ?? entry.changedAt;
}

/** When the last of the subscriptions that were paid for ended; null when all of them are forgotten. */
export function leftAt({ subscriptions }: StoryState): string | null {
  const paid = subscriptions.tracked.entries.filter(({ paidSince }) => paidSince !== null);
  const ends = paid.map(({ endsAt, changedAt }) => endsAt ?? changedAt);
  return ends.reduce<string | null>((last, at) => (last && isAfter(last, at) ? last : at), null);
}

export function countGaps({ tenure }: StoryState): number {
  return tenure.gaps.length + tenure.earlierGaps;
}

function hasLiveSubscription(state: StoryState): boolean {
  const { tracked } = state.subscriptions;
  const isLivePaid = (entry: SubscriptionEntry) => entry.paidSince !== null && isLive(entry, state);
  return tracked.forgottenOpen > 0 || tracked.entries.some(isLivePaid);
}

function isFormer(state: StoryState): boolean {
  const { paidSince } = state.subscriptions;
  return paidSince !== null && keptOrders(state) === 0 && !hasLiveSubscription(state);
}

function customerKind(state: StoryState, since: string): Standing['kind'] {
  // Loyalty counts from the last return.
  const last = state.tenure.gaps.at(-1);
  const days = daysBetween(last?.to ?? since, state.last?.at ?? since);
  // An order and its payment are one purchase, so the larger of the two counts is the number of purchases.
  const purchases = Math.max(keptOrders(state), state.payments.succeeded);
  if (purchases >= minLoyalPurchases && days >= loyalBuyerDays) return 'loyal';
  if (hasLiveSubscription(state) && days >= loyalSubscriberDays) return 'loyal';
  if (keptOrders(state) > 1 || last) return 'returning';
  return days <= newCustomerDays && isFirstPurchaseSeen(state) ? 'new' : 'customer';
}

function strangerKind({ person, pages, messages, tickets }: StoryState): Standing['kind'] {
  if (person.loginCount > 0) return 'user';
  if (messages.lastAt || tickets.opened > 0) return 'contact';
  return person.isVisitor || pages.lastAt ? 'visitor' : 'known';
}

function keptOrders({ orders }: StoryState): number {
  return orders.placed - orders.cancelled;
}
