import { second } from '../../../lib/clock.ts';
import { timeOfId } from '../../../lib/ids.ts';
import { type FormerVersion, noBucket, type ObjectDocument } from '../../../models/storage/object.ts';

/**
 * A recount adds up, in parts and beside writes, what was stored at one instant: when the gauge was read. Objects that
 * change later are counted as they were then, by the times at which their versions were published, ended and released.
 */
export type Instant = {
  /** In milliseconds: the gauge was read after `from` and before `to`. */
  from: number;
  to: number;
  /** The keys of the reservations that were open then. Their bytes are in the gauge whether they are charged or not. */
  openKeys: ReadonlySet<string>;
};

/** `best` is the likely sum; the sum is at least `least` and at most `most`, for what was under way at the instant. */
export type Sum = { best: number; least: number; most: number };

export type Tally = {
  /** Bytes that the gauge should have besides the open reservations. */
  bytes: Sum;
  /** The same where the gauge did not change until the end of the count: only releases may be under way then. */
  quietBytes: Sum;
  /** By bucket. `present` is what was there when it was read, for a bucket that did not change until the end. */
  buckets: Map<string, BucketTally>;
};

export type BucketTally = { objects: Sum; bytes: Sum; present: { objects: number; bytes: number } };

/** What a recount reads of an object. */
export type Counted = Pick<
  ObjectDocument,
  'version' | 'size' | 'charges' | 'uploadedAt' | 'bucketId' | 'moved' | 'former'
>;

/** The clocks of two nodes differ by less. */
const clockSkew = 2 * second;
/** A change of an object is added to the counts of its bucket within this time. */
const countDelay = 10 * second;

const zero = (): Sum => ({ best: 0, least: 0, most: 0 });

export const newBucketTally = (): BucketTally => ({
  objects: zero(),
  bytes: zero(),
  present: { objects: 0, bytes: 0 },
});

export const newTally = (): Tally => ({ bytes: zero(), quietBytes: zero(), buckets: new Map() });

/** One version, with the times of its life in milliseconds. */
type Life = Pick<FormerVersion, 'size' | 'charges'> & {
  bucketId: string;
  publishedAt: number;
  endedAt: number;
  isReleased: boolean;
  /** Infinity while it is not released; NaN where that is not known. */
  releasedAt: number;
};

export function addObject(tally: Tally, object: Counted, at: Instant): void {
  for (const life of livesOf(object, at)) {
    addBytes(tally, life, at);
    addToBucket(tally, life, at);
  }
}

function livesOf({ bucketId, moved, former, ...present }: Counted, at: Instant): Life[] {
  const bucketThen = moved && moved.at.getTime() > at.from ? moved.from : bucketId;
  const lives = former.map((one): Life => {
    const { version, size, charges, endedAt, isReleased, uploadedAt, releasedAt } = one;
    return {
      size,
      charges,
      bucketId: one.bucketId ?? bucketThen,
      publishedAt: uploadedAt ? uploadedAt.getTime() : timeOfId(version),
      endedAt: endedAt.getTime(),
      isReleased,
      releasedAt: isReleased ? (releasedAt?.getTime() ?? Number.NaN) : Number.POSITIVE_INFINITY,
    };
  });
  if (bucketId === noBucket) return lives;
  const { size, charges, uploadedAt } = present;
  const never = Number.POSITIVE_INFINITY;
  return [
    ...lives,
    {
      size,
      charges,
      bucketId: bucketThen,
      publishedAt: uploadedAt.getTime(),
      endedAt: never,
      isReleased: false,
      releasedAt: never,
    },
  ];
}

function addBytes({ bytes, quietBytes }: Tally, life: Life, at: Instant): void {
  const units = unreserved(life, at.openKeys);
  const { publishedAt, endedAt, isReleased, releasedAt } = life;
  const isPublished = publishedAt <= at.from;
  const isGone = endedAt <= at.from && !(releasedAt > at.from);
  const isCertainlyPublished = publishedAt < at.from - clockSkew;
  const isCertainlyUnpublished = publishedAt > at.to + clockSkew;
  const isCertainlyThere = endedAt > at.to + clockSkew;
  const isCertainlyGone = releasedAt < at.from - clockSkew;
  add(bytes, units, {
    best: isPublished && !isGone,
    least: isCertainlyPublished && isCertainlyThere,
    most: !isCertainlyUnpublished && !isCertainlyGone,
  });
  const hasEnded = endedAt !== Number.POSITIVE_INFINITY;
  add(quietBytes, units, { best: !hasEnded, least: !hasEnded, most: !isReleased });
}

function addToBucket({ buckets }: Tally, { bucketId, size, publishedAt, endedAt }: Life, at: Instant): void {
  const sums = buckets.get(bucketId) ?? newBucketTally();
  buckets.set(bucketId, sums);
  const there = {
    best: publishedAt <= at.from && endedAt > at.from,
    least: publishedAt < at.from - countDelay && endedAt > at.to + clockSkew,
    most: publishedAt < at.to + clockSkew && endedAt > at.from - countDelay,
  };
  add(sums.objects, 1, there);
  add(sums.bytes, size, there);
  if (endedAt !== Number.POSITIVE_INFINITY) return;
  sums.present.objects += 1;
  sums.present.bytes += size;
}

/** The bytes of a version that are not in an open reservation. */
function unreserved({ size, charges }: Life, openKeys: ReadonlySet<string>): number {
  return charges.reduce((rest, { receipt, charged }) => rest - (openKeys.has(receipt.key) ? charged : 0), size);
}

function add(sum: Sum, units: number, counts: { best: boolean; least: boolean; most: boolean }): void {
  if (counts.best) sum.best += units;
  if (counts.least) sum.least += units;
  if (counts.most) sum.most += units;
}

/** By how much a recorded number is wrong; 0 where what was under way may explain the difference. */
export function driftOf(recorded: number, { best, least, most }: Sum): number {
  return recorded < least || recorded > most ? best - recorded : 0;
}

/** A sum of which nothing was under way. */
export const exactly = (value: number): Sum => ({ best: value, least: value, most: value });

/** Whether the next count may know more. */
export const isUncertain = ({ least, most }: Sum): boolean => least !== most;
