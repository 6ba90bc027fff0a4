import { day, fromNow } from '../../../lib/clock.ts';
import { settings } from '../../../lib/settings.ts';
import { removeEnded } from '../../../messaging/delivery/cleanup.ts';
import { sweepTemplates } from '../../../messaging/templates/cleanup.ts';
import { NotificationModel } from '../../../models/notification/notification.ts';
import { templateKind } from '../templates/kind.ts';

/**
 * Deletes ended notifications after the retention period, and deleted templates once no notification references them.
 */
export async function sweepEnded(signal: AbortSignal): Promise<void> {
  const kept = settings.MAIL_KEPT_DAYS * day;
  await removeEnded(NotificationModel, ['sent', 'failed'], fromNow(-kept), signal);
  await sweepTemplates(templateKind, kept);
}
