import { setTimeout as wait } from 'node:timers/promises';
import { fromNow, now, second } from '../../../lib/clock.ts';
import { insertIfAbsent } from '../../../lib/insert-unless-there.ts';
import { type PaceDocument, PaceModel } from '../../../models/notification/connection-pace.ts';

type Connection = { orgId: string; _id: string };

const maxWait = 2 * second;

/**
 * Waits until a connection may send another message: at most `perSecond` on all nodes in total, and none during a pause
 * requested by its provider. Returns 0, or the remaining milliseconds when the wait would be too long.
 */
export async function waitForTurn(connection: Connection, perSecond: number): Promise<number> {
  const deadline = performance.now() + maxWait;
  for (;;) {
    const delay = await takeTurn(connection, perSecond);
    if (delay <= 0) return 0;
    if (performance.now() + delay > deadline) return delay;
    // Jitter, so that not all waiters for a second query the database at its beginning.
    await wait(delay + Math.random() * 50);
  }
}

async function takeTurn({ orgId, _id }: Connection, perSecond: number): Promise<number> {
  const at = now();
  const window = new Date(Math.floor(at.getTime() / second) * second);
  const unpaused = { orgId, _id, pausedUntil: { $lte: at } };
  const same = await PaceModel.updateOne({ ...unpaused, window, used: { $lt: perSecond } }, { $inc: { used: 1 } });
  if (same.matchedCount === 1) return 0;
  const next = await PaceModel.updateOne({ ...unpaused, window: { $lt: window } }, { $set: { window, used: 1 } });
  if (next.matchedCount === 1) return 0;
  const first: PaceDocument = { _id, orgId, window, used: 1, pausedUntil: at };
  if (await insertIfAbsent<PaceDocument>(PaceModel, first)) return 0;
  const found = await PaceModel.findOne({ orgId, _id }).lean<PaceDocument>();
  const paused = (found?.pausedUntil ?? at).getTime() - at.getTime();
  return Math.max(paused, (found?.window ?? window).getTime() + second - at.getTime(), 1);
}

/** Pauses a connection for `milliseconds`, on all nodes. */
export async function pauseConnection({ orgId, _id }: Connection, milliseconds: number): Promise<void> {
  await PaceModel.updateOne({ orgId, _id }, { $set: { pausedUntil: fromNow(milliseconds) } });
}
