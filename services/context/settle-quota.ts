import { z } from 'zod';
import { defineAction } from '../../lib/action.ts';
import { idPattern } from '../../lib/ids.ts';
import { timesOfLot } from '../../lib/quota-lots.ts';
import { EventModel } from '../../models/context/event.ts';

/** `context.quota.settle`, for billing: how many events were stored with each lot of quota that was taken for some. */
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

/** A lot's events were all received in its times, which is what finds them without an index of their own. */
async function countOf(orgId: string, lot: string): Promise<number> {
  const times = timesOfLot(lot);
  if (!times) return 0;
  const receivedAt = { $gte: times.from, $lte: times.to };
  return await EventModel.countDocuments({ orgId, stubUntil: null, receivedAt, lot });
}

declare module '../../lib/calls.ts' {
  interface Calls {
    'context.quota.settle': typeof settleQuota;
  }
}
