import { defineAction } from '../../../lib/action.ts';
import { quotaBatchWindow } from '../../../lib/quota-batches.ts';
import { settleEach, settlementInput, settlementOutput } from '../../../lib/quota-settlement.ts';
import { MessageModel } from '../../../models/mail/message.ts';

/** `mail.quota.settle`, called by billing: counts the messages stored with the units of each reserved batch. */
export const settleQuota = defineAction({
  summary: 'Count the messages that were stored with batches of quota',
  permission: 'internal',
  input: settlementInput,
  output: settlementOutput,
  handler: ({ body: { orgId, keys } }) => settleEach(keys, (key) => countOf(orgId, key)),
});

/** All messages of a batch were stored within its time window, so the query needs no index on the batch. */
async function countOf(orgId: string, key: string): Promise<number> {
  const window = quotaBatchWindow(key);
  if (!window) return 0;
  return await MessageModel.countDocuments({ orgId, createdAt: { $gte: window.from, $lte: window.to }, lot: key });
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'mail.quota.settle': typeof settleQuota;
  }
}
