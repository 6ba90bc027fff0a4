import { day, fromNow } from '../../../lib/clock.ts';
import { maxStatement } from '../../../lib/remove-up-to.ts';
import { settings } from '../../../lib/settings.ts';
import { sweepTemplates } from '../../../messaging/templates/cleanup.ts';
import { NotificationModel } from '../../../models/notification/notification.ts';
import { templateKind } from '../templates/kind.ts';

/**
 * Removes notifications that were accepted long enough ago and have ended, and templates that were deleted so long ago that no notification is of
 * them any more.
 */
export async function sweepEnded(signal: AbortSignal): Promise<void> {
  await removeEnded(signal);
  await sweepTemplates(templateKind, settings.MAIL_KEPT_DAYS * day);
}

async function removeEnded(signal: AbortSignal): Promise<void> {
  const ended = { status: { $in: ['sent', 'failed'] }, createdAt: { $lte: fromNow(-settings.MAIL_KEPT_DAYS * day) } };
  while (!signal.aborted) {
    const some = await NotificationModel.find(ended, { _id: 1 })
      .setOptions({ acrossTenants: true })
      .sort({ createdAt: 1 })
      .limit(maxStatement)
      .lean();
    if (some.length === 0) return;
    const batch = { ...ended, _id: { $in: some.map(({ _id }) => _id) } };
    await NotificationModel.deleteMany(batch).setOptions({ acrossTenants: true });
  }
}
