import type { Allocation, OpenQuotaBatch } from './quota-batches.ts';

/** A batch with prefetched units. It is closed by the second rotation after it was kept. */
type KeptBatch = { batch: OpenQuotaBatch; isOld: boolean };

/** The prefetched batches of one counter, with the units spent in the current and in the previous rotation interval. */
type Prefetch = { kept: KeptBatch[]; spent: number; previouslySpent: number; isRefilled: boolean };

const rotationInterval = 100;
/** A process that spends fewer units per rotation interval prefetches none. */
const minPrefetch = 8;
/** The maximum number of prefetched units, unless a request sets another. */
const defaultMaximum = 1000;

const prefetches = new Map<string, Prefetch>();
let rotation: NodeJS.Timeout | undefined;

/** The maximum number of prefetched units that one allocation could get now. */
export function prefetchedUnits(counter: string): number {
  return Math.max(0, ...(prefetches.get(counter)?.kept.map(({ batch }) => batch.available()) ?? []));
}

/** Allocates prefetched units from the oldest batch that has enough; null when none has. */
export function allocatePrefetched(counter: string, amount: number): Allocation | null {
  const kept = prefetches.get(counter)?.kept.find(({ batch }) => batch.available() >= amount);
  return kept?.batch.allocate(amount) ?? null;
}

/** The number of units that the next reservation prefetches: the units spent in one recent rotation interval. */
export function unitsToPrefetch(counter: string, most: number = defaultMaximum): number {
  const prefetch = prefetches.get(counter);
  return prefetch ? Math.max(0, targetOf(prefetch, most) - freshUnits(prefetch)) : 0;
}

/** Keeps the remaining units of a batch for at most two rotation intervals. */
export function keepPrefetched(counter: string, batch: OpenQuotaBatch): void {
  if (batch.available() > 0) prefetchOf(counter).kept.push({ batch, isOld: false });
  else batch.close();
}

/**
 * Records spent units. Calls `refill` when the fresh prefetched units are fewer than half of the target, at most once
 * per rotation interval.
 */
export function recordSpent(counter: string, amount: number, refill: () => void, most: number = defaultMaximum): void {
  const prefetch = prefetchOf(counter);
  prefetch.spent += amount;
  if (prefetch.isRefilled || freshUnits(prefetch) >= targetOf(prefetch, most) / 2) return;
  prefetch.isRefilled = true;
  refill();
}

/** Suppresses refills until the next rotation; for a counter that is close to its limit. */
export function suppressRefill(counter: string): void {
  prefetchOf(counter).isRefilled = true;
}

function prefetchOf(counter: string): Prefetch {
  const prefetch = prefetches.get(counter) ?? { kept: [], spent: 0, previouslySpent: 0, isRefilled: false };
  prefetches.set(counter, prefetch);
  rotation ??= setInterval(rotate, rotationInterval).unref();
  return prefetch;
}

/** Closes the prefetched batches of all counters. */
export function closePrefetched(): void {
  for (const { kept } of prefetches.values()) for (const { batch } of kept) batch.close();
  prefetches.clear();
}

function targetOf({ spent, previouslySpent }: Prefetch, most: number): number {
  const usual = Math.max(spent, previouslySpent);
  return usual < minPrefetch ? 0 : Math.min(usual, most);
}

const freshUnits = ({ kept }: Prefetch): number =>
  kept.reduce((sum, { batch, isOld }) => sum + (isOld ? 0 : batch.available()), 0);

function rotate(): void {
  for (const [counter, prefetch] of prefetches) {
    const [kept, expired] = [[] as KeptBatch[], [] as KeptBatch[]];
    for (const one of prefetch.kept) (one.isOld || one.batch.available() === 0 ? expired : kept).push(one);
    for (const { batch } of expired) batch.close();
    prefetch.kept = kept.map(({ batch }) => ({ batch, isOld: true }));
    const isIdle = prefetch.spent + prefetch.previouslySpent + kept.length === 0;
    prefetch.previouslySpent = prefetch.spent;
    prefetch.spent = 0;
    prefetch.isRefilled = false;
    if (isIdle) prefetches.delete(counter);
  }
  if (prefetches.size > 0) return;
  clearInterval(rotation);
  rotation = undefined;
}
