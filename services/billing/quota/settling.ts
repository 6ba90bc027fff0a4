import { Counter } from 'prom-client';
import { createBatcher } from '../../../lib/batched.ts';
import type { KeyedMutex } from '../../../lib/one-at-a-time.ts';
import { counterOf, overduePath, type Receipt, readCounter, reservationPath, type Store, unsetting } from './store.ts';

const late = new Counter({
  name: 'billing_quota_late_total',
  help: 'Reservations whose work ended after they had expired and had been released.',
});

/** The end of a reservation: `charged` units are charged, the rest is released. */
export type Settlement = { receipt: Receipt; charged: number };

const maxBatchSize = 500;
const maxCounters = 100;
/** The maximum of attempts; each retry follows a concurrent change of the counter. */
const maxAttempts = 100;

/**
 * Ends reservations, batched by counter. Idempotent: the first call decides the charge. A reservation that had expired
 * and was released is charged after all, even above the limit, because its work was done. Only the sweep releases a
 * reservation that several callers share: another caller may still be at work.
 */
export function createSettling(store: Store, inTurn: KeyedMutex): (settlement: Settlement) => Promise<void> {
  const closeAll = createBatcher(maxCounters, (groups: Settlement[][]) => closeGroups(store, groups));
  const closeInTurn = (group: Settlement[]) => inTurn(group[0]?.receipt.counter ?? '', () => closeAll('', group));
  const settle = createBatcher(maxBatchSize, async (settlements: Settlement[]) => {
    const byNonce = new Map<string, Settlement>();
    for (const one of settlements) if (!byNonce.has(one.receipt.nonce)) byNonce.set(one.receipt.nonce, one);
    const group = [...byNonce.values()];
    const isEnded = areOfDifferentKeys(group) && (await closeInTurn(group));
    if (!isEnded) await settleBatched(store, closeInTurn, group);
    return settlements.map(() => undefined);
  });
  return (settlement) => settle(settlement.receipt.counter, settlement);
}

type Close = (settlements: Settlement[]) => Promise<boolean>;

async function settleBatched(store: Store, close: Close, settlements: Settlement[]): Promise<void> {
  let remaining = settlements;
  for (let tries = 0; tries < maxAttempts; tries += 1) {
    const [first] = remaining;
    if (!first || (areOfDifferentKeys(remaining) && (await close(remaining)))) return;
    const state = await readCounter(store, counterOf(first.receipt));
    // Erased, or archived long after the end of its period.
    if (!state) return;
    const open = new Map(state.open.map((reservation) => [reservation.nonce, reservation]));
    const overdue = new Set(state.overdue.map(({ nonce }) => nonce));
    for (const one of remaining) if (overdue.has(one.receipt.nonce)) await chargeLate(store, one);
    remaining = remaining.filter((one) => {
      const reservation = open.get(one.receipt.nonce);
      return reservation && !(reservation.shared && givesBack(one));
    });
  }
  throw new Error('The reservations of a counter could not be settled: the counter changed during each attempt.');
}

const givesBack = ({ receipt, charged }: Settlement): boolean => charged < receipt.amount;

/**
 * Ends the reservations of several counters in one command; returns whether all of a counter's ended, where that is
 * known.
 */
async function closeGroups(store: Store, groups: Settlement[][]): Promise<boolean[]> {
  const updates = groups.flatMap((group) => closingOf(group) ?? []);
  const [first] = updates;
  if (!first) return groups.map(() => true);
  if (updates.length === 1) {
    const { matchedCount } = await store.counters.updateOne(first.filter, first.update);
    return groups.map(() => matchedCount === 1);
  }
  const { matchedCount } = await store.counters.bulkWrite(
    updates.map((update) => ({ updateOne: update })),
    { ordered: false },
  );
  return groups.map(() => matchedCount === updates.length);
}

/** The update that ends reservations of one counter with different keys; null for none. */
function closingOf(settlements: Settlement[]) {
  const [first] = settlements;
  if (!first) return null;
  const back = settlements.reduce((sum, { receipt, charged }) => sum + receipt.amount - charged, 0);
  const areOpen = settlements.map(({ receipt }) => [`${reservationPath(receipt.key)}.nonce`, receipt.nonce]);
  const areNotOthers = settlements
    .filter(givesBack)
    .map(({ receipt }) => [`${reservationPath(receipt.key)}.shared`, { $ne: true }]);
  return {
    filter: { ...counterOf(first.receipt), ...Object.fromEntries([...areOpen, ...areNotOthers]) },
    update: {
      $unset: unsetting(settlements.map(({ receipt }) => reservationPath(receipt.key))),
      $inc: { used: -back, held: -settlements.length, revision: 1 },
    },
  };
}

/** At most one reservation of a key is open. */
const areOfDifferentKeys = (settlements: Settlement[]): boolean =>
  new Set(settlements.map(({ receipt }) => receipt.key)).size === settlements.length;

/** Charges the units of an expired reservation's work beyond those that were charged at its expiry. */
async function chargeLate(store: Store, { receipt, charged }: Settlement): Promise<void> {
  const { nonce } = receipt;
  const marker = (await readCounter(store, counterOf(receipt)))?.overdue.find((one) => one.nonce === nonce);
  if (!marker) return;
  const more = Math.max(0, charged - marker.charged);
  const { matchedCount } = await store.counters.updateOne(
    { ...counterOf(receipt), [overduePath(nonce)]: { $exists: true } },
    { $unset: unsetting([overduePath(nonce)]), $inc: { used: more, revision: 1 } },
  );
  if (matchedCount === 1 && more > 0) late.inc();
}
