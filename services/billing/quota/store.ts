import { hash, randomBytes } from 'node:crypto';
import type { Collection } from 'mongodb';
import { leaseDuration } from '../../../lib/clients/quota.ts';
import { createBatcher } from '../../../lib/concurrency/batcher.ts';
import { second } from '../../../lib/data/clock.ts';
import type { CounterDocument, Overdue, Reservation } from '../../../models/billing/counter.ts';
import type { TakeDocument } from '../../../models/billing/take.ts';
import type { Meter } from './meters.ts';
import type { CounterName } from './shapes.ts';

/** The present allowance of a meter under the plan, in the limit's unit. */
export type Allowance = { outcome: 'included'; limit: number } | { outcome: 'notIncluded' | 'paymentRequired' };

/** The owner's report by key: how much of the work was done. A key that is missing was not done at all. */
export type SettlementReport = { key: string; amount: number };

/** The dependencies of quotas; tests replace some with failing ones. */
export type Store = {
  counters: Collection<CounterDocument>;
  takes: Collection<TakeDocument>;
  allowanceOf: (orgId: string, meter: Meter) => Promise<Allowance>;
  askOwner: (owner: string, orgId: string, keys: string[]) => Promise<SettlementReport[]>;
  /** Billing's clock, which determines the period. */
  now: () => Date;
  /** The real time, by which leases expire even if billing's clock was moved. */
  leaseNow: () => Date;
  /** How many milliseconds to wait for the release of a block. */
  maxWait: number;
};

/** Identifies a reservation to its holder, who passes it when settling. */
export type Receipt = {
  orgId: string;
  /** The counter it was taken from, also when its period is over by the end. */
  counter: string;
  meter: Meter;
  key: string;
  nonce: string;
  amount: number;
  remembered: boolean;
};

/** The lease of a reservation. After it the sweep asks the owner, unless the holder renews it. */
export const reservationLease = leaseDuration;

/** Several times the time for which a live process holds a block. */
export const blockReleaseTimeout = second;

/** The maximum of open reservations of a counter: each update rewrites them all. */
export const maxOpen = 2000;

export const later = (instant: Date, milliseconds: number): Date => new Date(instant.getTime() + milliseconds);

const here = randomBytes(9).toString('base64url');
let made = 0;

/** A nonce that no other reservation has: a prefix of the process and a sequence number. */
export function newNonce(): string {
  made += 1;
  return `${here}${made.toString(36)}`;
}

/** The path of a key's reservation in its counter, of which there is one at a time. */
export const reservationPath = (key: string): string => `open.k${hash('sha1', key, 'base64url')}`;

/** The path of the note that a reservation expired. */
export const overduePath = (nonce: string): string => `overdue.n${nonce}`;

/** The sum of their units. */
export const totalOf = (all: { amount: number }[]): number => all.reduce((sum, { amount }) => sum + amount, 0);

/** A counter as read: the reservations by key, the notes of expired ones by nonce. */
export type CounterState = {
  used: number;
  open: ReadonlyMap<string, Reservation>;
  overdue: ReadonlyMap<string, Overdue>;
  revision: number;
};

export const nothingUsed: CounterState = { used: 0, open: new Map(), overdue: new Map(), revision: 0 };

export type CounterReader = (counter: Pick<CounterName, '_id' | 'orgId'>) => Promise<CounterState | null>;

const maxCounters = 100;

/** Reads counters; null for one that nothing was ever taken from. Concurrent reads are one query. */
export function createReader({ counters }: Store): CounterReader {
  const projection = { used: 1, open: 1, overdue: 1, revision: 1 };
  const read = createBatcher(maxCounters, async (names: Pick<CounterName, '_id' | 'orgId'>[]) => {
    const filter = { orgId: { $in: names.map(({ orgId }) => orgId) }, _id: { $in: names.map(({ _id }) => _id) } };
    const found = await counters.find(filter, { projection }).toArray();
    const byId = new Map(found.map((counter) => [counter._id, stateOf(counter)]));
    return names.map(({ _id }) => byId.get(_id) ?? null);
  });
  return (counter) => read('', counter);
}

function stateOf({ used, open, overdue, revision }: CounterDocument): CounterState {
  return {
    used,
    open: new Map(Object.values(open).map((reservation) => [reservation.key, reservation])),
    overdue: new Map(Object.values(overdue).map((note) => [note.nonce, note])),
    revision,
  };
}

/** The receipt of an open reservation. */
export function receiptOf({ _id, orgId, meter }: CounterName, reservation: Reservation): Receipt {
  const { key, nonce, amount, remembered } = reservation;
  return { orgId, counter: _id, meter, key, nonce, amount, remembered };
}
