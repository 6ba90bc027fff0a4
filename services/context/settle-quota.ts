import { z } from 'zod';
import { defineAction } from '../../lib/action.ts';
import { minute } from '../../lib/clock.ts';
import { idPattern } from '../../lib/ids.ts';
import { timesOfLot } from '../../lib/quota-lots.ts';
import { EventModel } from '../../models/context/event.ts';
import { stubLife } from './erasure.ts';

/** The maximum clock skew between the node that took the lot and the one that erases. */
const clockDifference = 10 * minute;

/** `context.quota.settle`, for billing: how many events were stored with each lot of quota. */
export const settleQuota = defineAction({
  summary: 'Count the events that were stored with lots of quota',
  permission: 'internal',
  input: { body: z.strictObject({ orgId: z.string().regex(idPattern('org')), keys: z.array(z.string()) }) },
  output: z.strictObject({ done: z.array(z.strictObject({ key: z.string(), amount: z.number() })) }),
  async handler({ body: { orgId, keys } }) {
    const done = [];
    for (const key of keys) done.push({ key, amount: await countOf(orgId, key) });
    return { done };
  },
});

/**
 * A lot's events were all received during the lot, which finds them without an index of their own. Events erased
 * meanwhile were accepted too: their stubs outlive the lot by a stub's lifetime. One that is erased between the two
 * queries is found by both, and counts once.
 */
async function countOf(orgId: string, lot: string): Promise<number> {
  const times = timesOfLot(lot);
  if (!times) return 0;
  const ofLot = { orgId, receivedAt: { $gte: times.from, $lte: times.to }, lot };
  const ending = { $gte: new Date(times.from.getTime() + stubLife - clockDifference) };
  const events = await EventModel.find({ ...ofLot, stubUntil: null }, { _id: 1 }).lean();
  const stubs = await EventModel.find({ ...ofLot, stubUntil: ending }, { _id: 1 }).lean();
  return new Set([...events, ...stubs].map(({ _id }) => _id)).size;
}

declare module '../../lib/calls.ts' {
  interface Calls {
    'context.quota.settle': typeof settleQuota;
  }
}
