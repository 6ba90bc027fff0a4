import { day, fromNow } from '../../lib/clock.ts';
import { MessageModel } from '../../models/mail/message.ts';

const sentKept = 30 * day;
const failedKept = 90 * day;

/** Removes messages that were sent or given up long enough ago; for the scheduled sweep. */
export async function sweepMessages(): Promise<void> {
  const across = { acrossTenants: true };
  await MessageModel.deleteMany({ status: 'sent', updatedAt: { $lte: fromNow(-sentKept) } }).setOptions(across);
  await MessageModel.deleteMany({ status: 'failed', updatedAt: { $lte: fromNow(-failedKept) } }).setOptions(across);
}
