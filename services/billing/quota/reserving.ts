import { gather } from '../../../lib/gather.ts';
import type { Reservation } from '../../../models/billing/counter.ts';
import type { CounterName } from './meters.ts';
import { mostOpen, openedBy, type Store, slotOf } from './store.ts';

/** Reservations of one counter, to be made if no more than `most` is used before. */
export type Wish = {
  counter: CounterName;
  reservations: [Reservation, ...Reservation[]];
  most: number;
  /** Whether to say what is used then. */
  wantsUsed: boolean;
};

/** What is used then; null where nobody wanted it. */
export type Reserved = { used: number | null };

const mostTogether = 100;

/**
 * Makes all reservations of a wish or none, in one update of the counter; null when more was used before, some are held
 * already, or there are too many. Wishes for several counters that do not want to know what is used go in one command.
 */
export function createReserving({ counters }: Store): (wish: Wish) => Promise<Reserved | null> {
  const reserve = gather(mostTogether, (wishes: Wish[]) => reserveMany(counters, wishes));
  return (wish) => (wish.wantsUsed ? reserveOne(counters, wish) : reserve('', wish));
}

type Counters = Store['counters'];

/** Not every implementation of the protocol takes a projection here; what is open of a counter is mostly little. */
async function reserveOne(counters: Counters, wish: Wish): Promise<Reserved | null> {
  const counter = await counters.findOneAndUpdate(filterOf(wish), updateOf(wish), { returnDocument: 'after' });
  return counter && { used: counter.used };
}

async function reserveMany(counters: Counters, wishes: Wish[]): Promise<(Reserved | null)[]> {
  const { matchedCount } = await counters.bulkWrite(
    wishes.map((wish) => ({ updateOne: { filter: filterOf(wish), update: updateOf(wish) } })),
    { ordered: false },
  );
  const areMade = matchedCount === wishes.length || matchedCount === 0;
  const made = areMade ? wishes.map(() => matchedCount > 0) : await areMadeOf(counters, wishes);
  return made.map((isMade) => (isMade ? { used: null } : null));
}

/** What the command says of all together, the counters say of each. */
async function areMadeOf(counters: Counters, wishes: Wish[]): Promise<boolean[]> {
  const names = wishes.map(({ counter }) => counter);
  const found = await counters
    .find(
      { orgId: { $in: names.map(({ orgId }) => orgId) }, _id: { $in: names.map(({ _id }) => _id) } },
      { projection: { open: 1 } },
    )
    .toArray();
  const nonces = new Set(found.flatMap(({ open }) => Object.values(open)).map(({ nonce }) => nonce));
  return wishes.map(({ reservations: [first] }) => nonces.has(first.nonce));
}

function filterOf({ counter: { _id, orgId }, reservations, most }: Wish) {
  const areFree = reservations.map(({ key }) => [slotOf(key), { $exists: false }]);
  return {
    _id,
    orgId,
    used: { $lte: most },
    held: { $lte: mostOpen - reservations.length },
    ...Object.fromEntries(areFree),
  };
}

function updateOf({ reservations }: Wish) {
  const [{ until }] = reservations;
  const total = reservations.reduce((sum, { amount }) => sum + amount, 0);
  return {
    $inc: { used: total, held: reservations.length, revision: 1 },
    $set: openedBy(reservations),
    $min: { dueAt: until },
  };
}
