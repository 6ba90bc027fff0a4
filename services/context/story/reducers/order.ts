import { findMoney, findOrderWorth, nameItems, refundNames } from '../amounts.ts';
import { addMoney, type Money, negate } from '../money.ts';
import { meaningOf, type Occurrence, vocabulary } from '../occurrence.ts';
import { firstText, type Source, sourcesFor, spellings } from '../payload.ts';
import { bounds, lengths, type OrderEntry, type OrderFacts, type OrderStage, type StoryState } from '../state.ts';
import { findTracked, recall, track } from '../tracked.ts';
import { forgetDue } from './due.ts';

type Meaning = OrderStage | 'returned' | 'refunded' | 'partially_refunded';

const meanings = vocabulary<Meaning>({
  placed: ['created', 'placed', 'submitted', 'confirmed', 'received', 'accepted', 'pending', 'processing'],
  paid: ['paid', 'payment_received', 'payment_succeeded'],
  shipped: ['shipped', 'dispatched', 'sent', 'out_for_delivery', 'in_transit', 'partially_shipped'],
  delivered: ['delivered', 'collected', 'picked_up'],
  completed: ['completed', 'fulfilled', 'closed'],
  cancelled: ['cancelled', 'canceled', 'voided', 'rejected', 'expired'],
  returned: ['returned', 'return_received', 'return_completed'],
  refunded: ['refunded', 'refund_issued', 'refund_completed'],
  partially_refunded: ['partially_refunded', 'partial_refund'],
});

const ranks: Record<OrderStage, number> = { placed: 0, paid: 1, shipped: 2, delivered: 3, completed: 3, cancelled: 3 };

/** `order.*`: counts each order once, follows it to its end, and nets what was cancelled or refunded. */
export function reduceOrder(state: StoryState, occurrence: Occurrence): StoryState | undefined {
  const sources = sourcesFor(occurrence.payload, 'order');
  const meaning = meaningOf(occurrence, meanings, sources);
  if (!meaning) return undefined;
  const id = firstText(sources, spellings('orderId', 'id', 'orderNumber', 'number', 'reference'), lengths.id);
  const found = findOrPlace(state, id, meaning, occurrence, sources);
  const priced = withWorth(found.orders, found.entry, findOrderWorth(sources), meaning);
  const moved = applyMeaning(priced.orders, priced.entry, meaning, sources);
  const orders = { ...moved.orders, tracked: track(moved.orders.tracked, moved.entry, bounds.orders) };
  const payments = meaning === 'cancelled' && id ? forgetDue(state.payments, [`order:${id}`]) : state.payments;
  return { ...state, orders, payments };
}

/** Marks an order paid that a payment was for. */
export function markOrderPaid(state: StoryState, orderId: string): StoryState {
  const entry = findTracked(state.orders.tracked, orderId);
  if (!entry) return state;
  const moved = moveTo(state.orders, entry, 'paid');
  return { ...state, orders: { ...moved.orders, tracked: track(moved.orders.tracked, moved.entry, bounds.orders) } };
}

/** An order and the facts of all orders, changed together. */
type Step = {
  orders: OrderFacts;
  entry: OrderEntry;
};

function findOrPlace(state: StoryState, id: string, meaning: string, occurrence: Occurrence, sources: Source[]): Step {
  const isPlacing = meaning === 'placed';
  const orders = { ...state.orders, reportsPlacing: state.orders.reportsPlacing || isPlacing };
  const known = findTracked(orders.tracked, id);
  // Orders without an id share one entry, and each placing begins it anew.
  if (known && !(isPlacing && id === '')) return { orders, entry: known };
  const blank = { id, placedAt: occurrence.at, worth: null, refundedMinor: '0', isRefunded: false, isReturned: false };
  const recalled = orders.reportsPlacing && !isPlacing ? recall(orders.tracked) : undefined;
  if (recalled) {
    const stage = recalled.wasOpen ? ('placed' as const) : ('completed' as const);
    return { orders: { ...orders, tracked: recalled.tracked }, entry: { ...blank, open: recalled.wasOpen, stage } };
  }
  const latest = { id, at: occurrence.at, items: nameItems(sources, lengths.item) };
  const placed = { placed: orders.placed + 1, firstAt: orders.firstAt ?? occurrence.at, latest };
  return { orders: { ...orders, ...placed }, entry: { ...blank, open: id !== '', stage: 'placed' } };
}

/** Takes the first reported amount of an order as its worth, and a later one only from an update. */
function withWorth(orders: OrderFacts, entry: OrderEntry, worth: Money | null, meaning: string): Step {
  const isSettled = entry.worth !== null && meaning !== 'updated';
  const isRefund = meaning === 'refunded' || meaning === 'partially_refunded';
  const isOver = entry.stage === 'cancelled' || entry.refundedMinor !== '0';
  if (!worth || isSettled || isRefund || isOver) return { orders, entry };
  const without = entry.worth ? addMoney(orders.worth, negate(entry.worth)) : orders.worth;
  return { orders: { ...orders, worth: addMoney(without, worth) }, entry: { ...entry, worth } };
}

function applyMeaning(orders: OrderFacts, entry: OrderEntry, meaning: Meaning | 'updated', sources: Source[]): Step {
  if (meaning === 'updated') return { orders, entry };
  if (meaning === 'refunded' || meaning === 'partially_refunded') return refund(orders, entry, meaning, sources);
  if (meaning !== 'returned') return moveTo(orders, entry, meaning);
  const returned = orders.returned + (entry.isReturned ? 0 : 1);
  return { orders: { ...orders, returned }, entry: { ...entry, open: false, isReturned: true } };
}

/** Forward only: a delivered order is not shipped again, even if the sender's clocks disagree. */
function moveTo(orders: OrderFacts, entry: OrderEntry, stage: OrderStage): Step {
  if (ranks[stage] <= ranks[entry.stage]) return { orders, entry };
  const moved = { ...entry, stage, open: entry.open && ranks[stage] < 3 };
  if (stage !== 'delivered' && stage !== 'completed' && stage !== 'cancelled') return { orders, entry: moved };
  const counted = { ...orders, [stage]: orders[stage] + 1 };
  const withdrawn = stage === 'cancelled' ? addMoney(orders.withdrawn, remainder(entry)) : orders.withdrawn;
  return { orders: { ...counted, withdrawn }, entry: moved };
}

/** Gives back at most what is left of the order, because senders repeat refunds and report them as running totals. */
function refund(orders: OrderFacts, entry: OrderEntry, meaning: Meaning, sources: Source[]): Step {
  const left = remainder(entry);
  const stated = findMoney(sources, [...refundNames, 'amount'], left?.currency);
  const wanted = stated ?? (meaning === 'refunded' ? left : null);
  const isOwnCurrency = !left || wanted?.currency === left.currency;
  const given = left && wanted && isOwnCurrency ? smaller(wanted, left) : wanted;
  const sum = BigInt(entry.refundedMinor) + BigInt(given && isOwnCurrency ? given.minor : '0');
  const isPartial = meaning === 'partially_refunded' || (entry.worth !== null && sum < BigInt(entry.worth.minor));
  const isRefunded = entry.isRefunded || !isPartial;
  const isWithdrawn = entry.stage === 'cancelled' && left !== null && given !== null && isOwnCurrency;
  const changed = {
    refunded: orders.refunded + (isRefunded && !entry.isRefunded ? 1 : 0),
    refunds: addMoney(orders.refunds, given),
    withdrawn: isWithdrawn ? addMoney(orders.withdrawn, negate(given)) : orders.withdrawn,
  };
  const refunded = { ...entry, refundedMinor: String(sum), isRefunded, open: entry.open && isPartial };
  return { orders: { ...orders, ...changed }, entry: refunded };
}

function remainder(entry: OrderEntry): Money | null {
  if (!entry.worth) return null;
  const minor = BigInt(entry.worth.minor) - BigInt(entry.refundedMinor);
  return { currency: entry.worth.currency, minor: String(minor > 0n ? minor : 0n) };
}

function smaller(left: Money, right: Money): Money {
  return BigInt(left.minor) < BigInt(right.minor) ? left : right;
}
