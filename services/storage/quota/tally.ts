import { second } from '../../../lib/data/clock.ts';
import { timeOfId } from '../../../lib/data/ids.ts';
import { type FormerVersion, noBucket, type ObjectDocument } from '../../../models/storage/object.ts';

/**
 * The instant of a recount: when the gauge was read. The recount sums pages, concurrently with writes, as of that
 * instant. Objects that change later are counted by the times at which their versions were published, ended and
 * released.
 */
export type Instant = {
  /** In milliseconds: the gauge was read after `from` and before `to`. */
  from: number;
  to: number;
  /** The keys of the reservations open at that time. Their bytes are in the gauge, charged or not. */
  openKeys: ReadonlySet<string>;
};

/** A sum with uncertainty: `best` is the likely value, between `least` and `most`, because of operations in flight. */
export type Sum = { best: number; least: number; most: number };

export type Tally = {
  /** The bytes that the gauge should have in addition to the open reservations. */
  bytes: Sum;
  /** The bytes if the gauge did not change until the end of the count: then only releases may be in flight. */
  quietBytes: Sum;
  /** By bucket. `present` is the number when it was read, for a bucket that did not change until the end. */
  buckets: Map<string, BucketTally>;
};

export type BucketTally = { objects: Sum; bytes: Sum; present: { objects: number; bytes: number } };

/** The fields of an object that a recount reads. */
export type Counted = Pick<
  ObjectDocument,
  'version' | 'size' | 'charges' | 'uploadedAt' | 'bucketId' | 'moved' | 'former'
>;

/** The maximum clock skew between two nodes. */
const clockSkew = 2 * second;
/** The maximum delay until a change of an object is added to the counts of its bucket. */
const countDelay = 10 * second;

const zero = (): Sum => ({ best: 0, least: 0, most: 0 });

export const newBucketTally = (): BucketTally => ({
  objects: zero(),
  bytes: zero(),
  present: { objects: 0, bytes: 0 },
});

export const newTally = (): Tally => ({ bytes: zero(), quietBytes: zero(), buckets: new Map() });

/** One version with its lifecycle times in milliseconds. */
type Life = Pick<FormerVersion, 'size' | 'charges'> & {
  bucketId: string;
  publishedAt: number;
  endedAt: number;
  isReleased: boolean;
  /** Infinity while not released; NaN if unknown. */
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

/** The bytes of a version outside the open reservations. */
function unreserved({ size, charges }: Life, openKeys: ReadonlySet<string>): number {
  return charges.reduce((rest, { receipt, charged }) => rest - (openKeys.has(receipt.key) ? charged : 0), size);
}

function add(sum: Sum, units: number, counts: { best: boolean; least: boolean; most: boolean }): void {
  if (counts.best) sum.best += units;
  if (counts.least) sum.least += units;
  if (counts.most) sum.most += units;
}

/** The error of a recorded number; 0 if operations in flight may explain the difference. */
export function driftOf(recorded: number, { best, least, most }: Sum): number {
  return recorded < least || recorded > most ? best - recorded : 0;
}

/** A sum without operations in flight. */
export const exactly = (value: number): Sum => ({ best: value, least: value, most: value });

/** Whether the next count may be more precise. */
export const isUncertain = ({ least, most }: Sum): boolean => least !== most;
