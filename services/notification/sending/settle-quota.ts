import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { idPattern } from '../../../lib/ids.ts';
import { NotificationModel } from '../../../models/notification/notification.ts';

/** `notification.quota.settle`, called by billing after a crash: which notifications were stored with their reservation. */
export const settleQuota = defineAction({
  summary: 'Count the notifications that were stored with reservations of quota',
  permission: 'internal',
  input: { body: z.strictObject({ orgId: z.string().regex(idPattern('org')), keys: z.array(z.string()) }) },
  output: z.strictObject({ done: z.array(z.strictObject({ key: z.string(), amount: z.number() })) }),
  async handler({ body: { orgId, keys } }) {
    const found = await NotificationModel.find({ orgId, _id: { $in: keys } }, { _id: 1 }).lean();
    const stored = new Set(found.map(({ _id }) => _id));
    return { done: keys.map((key) => ({ key, amount: stored.has(key) ? 1 : 0 })) };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'notification.quota.settle': typeof settleQuota;
  }
}
