import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { idPattern } from '../../../lib/ids.ts';
import { quotaBatchWindow } from '../../../lib/quota-batches.ts';
import { MessageModel } from '../../../models/mail/message.ts';

/** `mail.quota.settle`, called by billing: how many messages were stored with the units of each reserved batch. */
export const settleQuota = defineAction({
  summary: 'Count the messages that were stored with batches of quota',
  permission: 'internal',
  input: { body: z.strictObject({ orgId: z.string().regex(idPattern('org')), keys: z.array(z.string()) }) },
  output: z.strictObject({ done: z.array(z.strictObject({ key: z.string(), amount: z.number() })) }),
  async handler({ body: { orgId, keys } }) {
    const done = [];
    for (const key of keys) done.push({ key, amount: await countOf(orgId, key) });
    return { done };
  },
});

/** All messages of a batch were stored in its window, so the query needs no index of the batch. */
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
