import { defineAction } from '../../../lib/action.ts';
import { settlementInput, settlementOutput, settleStored } from '../../../lib/quota-settlement.ts';
import { NotificationModel } from '../../../models/notification/notification.ts';

/** `notification.quota.settle`, called by billing after a crash: which notifications were stored with their reservation. */
export const settleQuota = defineAction({
  summary: 'Count the notifications that were stored with reservations of quota',
  permission: 'internal',
  input: settlementInput,
  output: settlementOutput,
  async handler({ body: { orgId, keys } }) {
    const found = await NotificationModel.find({ orgId, _id: { $in: keys } }, { _id: 1 }).lean();
    return settleStored(keys, new Set(found.map(({ _id }) => _id)));
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'notification.quota.settle': typeof settleQuota;
  }
}
