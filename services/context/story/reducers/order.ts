import { findOrderWorth, nameItems } from '../amounts.ts';
import { bounds, lengths } from '../bounds.ts';
import { addMoney, type Money, negate } from '../money.ts';
import { meaningOf, type Occurrence } from '../occurrence.ts';
import { firstId, type Source, sourcesFor } from '../payload.ts';
import type { OrderEntry, OrderFacts, OrderStage, StoryState } from '../state.ts';
import { forgetPurchase, notePurchase } from '../tenure.ts';
import { findTracked, recall, track } from '../tracked.ts';
import type { Meaning } from '../vocabulary/events.ts';
import { namesOf, wrappers } from '../vocabulary/fields.ts';
import { reasonFrom } from '../wording.ts';
import { forgetDue } from './due.ts';
import { notePayment, type OrderStep, refundOrder, remainderOf } from './order-refunds.ts';
import { subscribedUntil } from './subscription.ts';

type OrderMeaning = Meaning<'order'> | 'updated';

/** From `delivered` on an order is over; it may still be cancelled. */
const stages: Record<OrderStage, number> = { placed: 0, paid: 1, shipped: 2, delivered: 3, completed: 3, cancelled: 4 };

/** `order.*`: counts each order once, follows it to its end, and nets what was cancelled or refunded. */
export function reduceOrder(state: StoryState, occurrence: Occurrence): StoryState | undefined {
  const sources = sourcesFor(occurrence.payload, ...wrappers.order);
  const meaning = meaningOf(occurrence, 'order', sources);
  if (!meaning) return undefined;
  const id = firstId(sources, namesOf('orderId'));
  const found = findOrPlace(state, id, meaning, occurrence, sources);
  const priced = withWorth(found.orders, found.entry, findOrderWorth(sources), meaning);
  const moved = applyMeaning(priced.orders, priced.entry, meaning, sources);
  const orders = { ...moved.orders, tracked: track(moved.orders.tracked, moved.entry, bounds.orders) };
  const payments = meaning === 'cancelled' && id ? forgetDue(state.payments, [`order:${id}`]) : state.payments;
  return { ...state, orders, payments, tenure: tenureAfter(state, orders, id, meaning, occurrence.at) };
}

function tenureAfter(state: StoryState, orders: OrderFacts, id: string, meaning: string, at: string) {
  if (meaning === 'cancelled') return forgetPurchase(state.tenure, id);
  const isNew = orders.placed > state.orders.placed;
  return isNew ? notePurchase(state.tenure, id, at, subscribedUntil(state.subscriptions, at)) : state.tenure;
}

/** Marks an order paid that a payment was for. */
export function markOrderPaid(state: StoryState, orderId: string): StoryState {
  const entry = findTracked(state.orders.tracked, orderId);
  if (!entry) return state;
  const noted = notePayment({ orders: state.orders, entry });
  const moved = moveTo(noted.orders, noted.entry, 'paid');
  return { ...state, orders: { ...moved.orders, tracked: track(moved.orders.tracked, moved.entry, bounds.orders) } };
}

function findOrPlace(
  state: StoryState,
  id: string,
  meaning: string,
  occurrence: Occurrence,
  sources: Source[],
): OrderStep {
  const isPlacing = meaning === 'placed';
  const orders = { ...state.orders, reportsPlacing: state.orders.reportsPlacing || isPlacing };
  const existing = findTracked(orders.tracked, id);
  // Orders without an id share one entry, and each placing begins it again.
  if (existing && !(isPlacing && id === '')) return { orders, entry: existing };
  const flags = { isRefunded: false, isReturned: false, isRecalled: false };
  const blank = { id, placedAt: occurrence.at, worth: null, refunds: null, hasPayment: false, ...flags };
  const recalled = orders.reportsPlacing && !isPlacing ? recall(orders.tracked) : undefined;
  if (recalled) {
    // A closed one may have been cancelled, which counts once.
    const stage = recalled.wasOpen ? ('placed' as const) : ('cancelled' as const);
    const entry = { ...blank, isRecalled: true, open: recalled.wasOpen, stage };
    return { orders: { ...orders, tracked: recalled.tracked }, entry };
  }
  const latest = { id, at: occurrence.at, items: nameItems(sources, lengths.item) };
  const worth = addMoney(orders.worth, null);
  const placed = { placed: orders.placed + 1, worth, firstAt: orders.firstAt ?? occurrence.at, latest };
  return { orders: { ...orders, ...placed }, entry: { ...blank, open: id !== '', stage: 'placed' } };
}

/** Takes the first reported amount of an order as its worth, and a later one only from an update. */
function withWorth(orders: OrderFacts, entry: OrderEntry, worth: Money | null, meaning: string): OrderStep {
  const isSettled = entry.isRecalled || (entry.worth !== null && meaning !== 'updated');
  const isRefund = meaning === 'refunded' || meaning === 'partially_refunded';
  const isOver = entry.stage === 'cancelled' || entry.refunds !== null;
  if (!worth || isSettled || isRefund || isOver) return { orders, entry };
  const { unknown } = orders.worth;
  const without = entry.worth ? addMoney(orders.worth, negate(entry.worth)) : { ...orders.worth, unknown: unknown - 1 };
  return { orders: { ...orders, worth: addMoney(without, worth) }, entry: { ...entry, worth } };
}

function applyMeaning(orders: OrderFacts, entry: OrderEntry, meaning: OrderMeaning, sources: Source[]): OrderStep {
  if (meaning === 'updated') return { orders, entry };
  if (meaning === 'refunded' || meaning === 'partially_refunded') return refundOrder(orders, entry, meaning, sources);
  if (meaning === 'cancelled') return cancel(orders, entry, sources);
  if (meaning !== 'returned') return moveTo(orders, entry, meaning);
  const returned = orders.returned + (entry.isReturned ? 0 : 1);
  return { orders: { ...orders, returned }, entry: { ...entry, open: false, isReturned: true } };
}

function cancel(orders: OrderFacts, entry: OrderEntry, sources: Source[]): OrderStep {
  const moved = moveTo(orders, entry, 'cancelled');
  const isCancelled = moved.orders.cancelled > orders.cancelled;
  const remainder = isCancelled ? remainderOf(entry) : null;
  return {
    entry: moved.entry,
    orders: {
      ...moved.orders,
      cancelReason: isCancelled ? reasonFrom(sources) : orders.cancelReason,
      withdrawn: remainder ? addMoney(orders.withdrawn, remainder) : orders.withdrawn,
    },
  };
}

/** Forward only: a delivered order is not shipped again, even if the sender's clocks disagree. */
function moveTo(orders: OrderFacts, entry: OrderEntry, stage: OrderStage): OrderStep {
  if (stages[stage] <= stages[entry.stage]) return { orders, entry };
  const moved = { ...entry, stage, open: entry.open && stages[stage] < stages.delivered };
  if (stage !== 'delivered' && stage !== 'completed' && stage !== 'cancelled') return { orders, entry: moved };
  return { orders: { ...orders, [stage]: orders[stage] + 1 }, entry: moved };
}
