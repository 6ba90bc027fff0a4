import type { ServiceBroker } from 'moleculer';
import { day, fromNow } from '../../../lib/clock.ts';
import { maxStatement } from '../../../lib/remove-up-to.ts';
import { sweepTemplates } from '../../../messaging/templates/cleanup.ts';
import { NotificationModel } from '../../../models/notification/notification.ts';
import { refunds } from '../sending/queue.ts';
import { templateKind } from '../templates/kind.ts';

const keptDays = 90;

/**
 * The hourly sweep: removes notifications that ended long enough ago, and templates that were deleted so long ago that no
 * notification is of them any more; gives back the quota of dead letters where a crash left it.
 */
export async function sweep(broker: ServiceBroker, signal: AbortSignal): Promise<void> {
  await refunds.sweep(broker);
  await removeEnded(signal);
  await sweepTemplates(templateKind, keptDays * day);
}

async function removeEnded(signal: AbortSignal): Promise<void> {
  const ended = { status: { $in: ['sent', 'failed'] }, updatedAt: { $lte: fromNow(-keptDays * day) } };
  while (!signal.aborted) {
    const some = await NotificationModel.find(ended, { _id: 1 })
      .setOptions({ acrossTenants: true })
      .sort({ updatedAt: 1 })
      .limit(maxStatement)
      .lean();
    if (some.length === 0) return;
    const batch = { ...ended, _id: { $in: some.map(({ _id }) => _id) } };
    await NotificationModel.deleteMany(batch).setOptions({ acrossTenants: true });
  }
}
