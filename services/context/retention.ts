import { day, fromNow, now } from '../../lib/clock.ts';
import { settings } from '../../lib/settings.ts';
import { EventModel } from '../../models/context/event.ts';
import { wakeComposer } from './composer.ts';
import { sweepErasures, toStub } from './erasure.ts';

/**
 * Takes out events that were kept for CONTEXT_RETENTION_DAYS since they were received. Those in a story become pending
 * work, so that the story is told without them before they become stubs; stubs go after their time.
 */
export async function sweepRetention(): Promise<void> {
  const across = { acrossTenants: true };
  const receivedAt = { $lte: fromNow(-settings.CONTEXT_RETENTION_DAYS * day) };
  const kept = { receivedAt, stubUntil: null };
  await EventModel.updateMany({ ...kept, customer: null, pending: false }, toStub()).setOptions(across);
  const expired = { $set: { expired: true, pending: true, nextAttemptAt: now() } };
  await EventModel.updateMany({ ...kept, expired: { $ne: true } }, expired).setOptions(across);
  await EventModel.deleteMany({ stubUntil: { $lte: now() } }).setOptions(across);
  await sweepErasures();
  wakeComposer();
}
