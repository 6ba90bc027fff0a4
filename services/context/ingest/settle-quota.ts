import { settleEach, settlementInput, settlementOutput } from '../../../lib/clients/quota.ts';
import { quotaBatchWindow } from '../../../lib/clients/quota-batches.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { minute } from '../../../lib/data/clock.ts';
import { EventModel } from '../../../models/context/event.ts';
import { tombstoneTtl } from '../erasure.ts';

/** The maximum difference between the clocks of the node that reserved the batch and of the node that erases. */
const clockDifference = 10 * minute;

/** `context.quota.settle`, called by billing: how many events were stored with the units of each reserved batch. */
export const settleQuota = defineAction({
  summary: 'Count the events that were stored with batches of quota',
  permission: 'internal',
  input: settlementInput,
  output: settlementOutput,
  handler: ({ body: { orgId, keys } }) => settleEach(keys, (key) => countOf(orgId, key)),
});

/**
 * All events of a batch were received in its window, so the query needs no index on `lot`. Erased events were accepted
 * too: their tombstones do not expire before the window's start plus their TTL. An event that is erased between
 * the two queries is found by both, and counts once.
 */
async function countOf(orgId: string, key: string): Promise<number> {
  const window = quotaBatchWindow(key);
  if (!window) return 0;
  const ofBatch = { orgId, receivedAt: { $gte: window.from, $lte: window.to }, lot: key };
  const ending = { $gte: new Date(window.from.getTime() + tombstoneTtl - clockDifference) };
  const events = await EventModel.find({ ...ofBatch, stubUntil: null }, { _id: 1 }).lean();
  const tombstones = await EventModel.find({ ...ofBatch, stubUntil: ending }, { _id: 1 }).lean();
  return new Set([...events, ...tombstones].map(({ _id }) => _id)).size;
}
