import { hash, randomBytes } from 'node:crypto';
import type { Collection } from 'mongodb';
import { leaseDuration } from '../../../lib/clients/quota.ts';
import { second } from '../../../lib/data/clock.ts';
import { isDuplicateKey } from '../../../lib/data/database-errors.ts';
import type { CounterDocument, Overdue, Reservation } from '../../../models/billing/counter.ts';
import type { TakeDocument } from '../../../models/billing/take.ts';
import type { CounterName, Meter } from './shapes.ts';

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
  /** How many milliseconds to wait for the release of prefetched units. */
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

/** Twice the time for which a live node holds prefetched units. */
export const prefetchReleaseTimeout = second;

/** The maximum of open reservations of a counter: each update rewrites them all. */
export const maxOpen = 2000;

export const later = (instant: Date, milliseconds: number): Date => new Date(instant.getTime() + milliseconds);

export type CounterState = { used: number; open: Reservation[]; overdue: Overdue[]; revision: number };

/** A counter as it is now; null when nothing was ever taken from it. */
export async function readCounter(
  { counters }: Store,
  { _id, orgId }: Pick<CounterName, '_id' | 'orgId'>,
): Promise<CounterState | null> {
  const projection = { used: 1, open: 1, overdue: 1, revision: 1 };
  const found = await counters.findOne({ _id, orgId }, { projection });
  if (!found) return null;
  const { used, open, overdue, revision } = found;
  return { used, open: Object.values(open), overdue: Object.values(overdue), revision };
}

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

/** The `$set` of an update that opens these reservations. */
export function openedBy(reservations: Reservation[]): Record<string, Reservation> {
  return Object.fromEntries(reservations.map((reservation) => [reservationPath(reservation.key), reservation]));
}

/** The sum of their units. */
export const totalOf = (all: { amount: number }[]): number => all.reduce((sum, { amount }) => sum + amount, 0);

/** The `$unset` of an update. */
export const unsetting = (paths: string[]): Record<string, ''> => Object.fromEntries(paths.map((path) => [path, '']));

export const nothingUsed: CounterState = { used: 0, open: [], overdue: [], revision: 0 };

/** The first content of a counter: its reservations and their limit; null where there are none. */
export type Opening = { reservations: Reservation[]; limit: number | null };

/** Inserts a counter; false when it exists. */
export async function insertCounter(
  { counters }: Store,
  { _id, orgId, meter, period }: CounterName,
  { reservations, limit }: Opening,
): Promise<boolean> {
  const periods = { periodStart: period?.start ?? null, periodEnd: period?.end ?? null };
  const used = totalOf(reservations);
  const open = Object.fromEntries(
    Object.entries(openedBy(reservations)).map(([path, reservation]) => [path.slice('open.'.length), reservation]),
  );
  const [first] = reservations;
  const content = { used, limit, open, held: reservations.length, overdue: {}, revision: 0, warned: [] };
  try {
    await counters.insertOne({ _id, orgId, meter, ...periods, ...content, ...(first && { dueAt: first.until }) });
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** The counter of a receipt. */
export const counterOf = ({ counter, orgId }: Receipt): Pick<CounterName, '_id' | 'orgId'> => ({ _id: counter, orgId });

/** The receipt of an open reservation. */
export function receiptOf(
  { _id, orgId, meter }: Pick<CounterName, '_id' | 'orgId' | 'meter'>,
  reservation: Reservation,
): Receipt {
  const { key, nonce, amount, remembered } = reservation;
  return { orgId, counter: _id, meter, key, nonce, amount, remembered };
}
