import { nativeCollection } from '../../lib/data/collection.ts';
import { type CounterDocument, CounterModel } from '../../models/billing/counter.ts';
import { type TakeDocument, TakeModel } from '../../models/billing/take.ts';
import { createQuota, type Quota } from '../../services/billing/quota/quota.ts';
import { type Crash, type Life, mortal, newLife } from './mortal-collection.ts';

/** A node that takes quota, and may end at a write. */
export type MortalQuota = { quota: Quota; life: Life };

/** What is so outside of it: what was done by key, which the owner knows after a crash, the limit, and the time. */
type Outside = { done: Map<string, number>; limit: number; now: () => Date };

export function mortalQuota({ done, limit, now }: Outside, crash: Crash | null): MortalQuota {
  const life = newLife(crash);
  const quota = createQuota({
    counters: mortal(nativeCollection<CounterDocument>(CounterModel), life),
    takes: mortal(nativeCollection<TakeDocument>(TakeModel), life),
    allowanceOf: () => Promise.resolve({ outcome: 'included', limit }),
    askOwner: (_owner, _orgId, keys) =>
      Promise.resolve(keys.flatMap((key) => (done.has(key) ? [{ key, amount: done.get(key)! }] : []))),
    now,
    leaseNow: now,
    maxWait: 0,
  });
  return { quota, life };
}
