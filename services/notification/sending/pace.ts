import { setTimeout as wait } from 'node:timers/promises';
import { fromNow, now, second } from '../../../lib/clock.ts';
import { insertIfAbsent } from '../../../lib/insert-unless-there.ts';
import { type PaceDocument, PaceModel } from '../../../models/notification/connection-pace.ts';

type Connection = { orgId: string; _id: string };

const maxWait = 2 * second;

/**
 * Waits until a connection may send one message more: at most so many a second, on all nodes together, and none while its
 * provider has asked for a pause. Returns 0; the milliseconds that are left when it would have to wait for long.
 */
export async function waitForTurn(connection: Connection, perSecond: number): Promise<number> {
  const deadline = performance.now() + maxWait;
  for (;;) {
    const left = await takeTurn(connection, perSecond);
    if (left <= 0) return 0;
    if (performance.now() + left > deadline) return left;
    // Those that wait for the same second do not all ask at its beginning.
    await wait(left + Math.random() * 50);
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

/** Lets a connection send nothing for so many milliseconds, on all nodes. */
export async function pauseConnection({ orgId, _id }: Connection, milliseconds: number): Promise<void> {
  await PaceModel.updateOne({ orgId, _id }, { $set: { pausedUntil: fromNow(milliseconds) } });
}
