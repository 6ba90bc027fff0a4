import { minute, now, second } from '../../../lib/clock.ts';
import { isDuplicateKey } from '../../../lib/database-errors.ts';
import { fail } from '../../../lib/errors.ts';
import { removeAcrossTenants } from '../../../lib/remove-up-to.ts';
import { settings } from '../../../lib/settings.ts';
import { type RateWindowDocument, RateWindowModel } from '../../../models/connect/rate-window.ts';

/** How often something may be done within a window of time. The gateway limits all requests of an address beside. */
const limits = {
  messagesOfVisitor: { most: 30, window: minute },
  messagesFromNetwork: { most: 120, window: minute },
  messagesToOrganization: { most: 1200, window: minute },
  sessionsFromNetwork: { most: 60, window: minute },
  sessionsOfOrganization: { most: 3000, window: minute },
  filesOfVisitor: { most: 20, window: 10 * minute },
} as const;

export type LimitName = keyof typeof limits;

/**
 * Counts something against a limit, by all nodes together. Without a key it passes: the request comes from inside.
 *
 * @throws RATE_LIMITED with the time until the window ends.
 */
export async function countAgainst(orgId: string, name: LimitName, key: string | null): Promise<void> {
  if (key === null || settings.RATE_LIMIT_RPS === 0) return;
  const { most, window } = limits[name];
  const at = now().getTime();
  const start = at - (at % window);
  const count = await increment(orgId, `${orgId}:${name}:${key}:${start}`, new Date(start + window));
  if (count <= most) return;
  const seconds = Math.max(1, Math.ceil((start + window - at) / second));
  throw fail('RATE_LIMITED', { headers: { 'Retry-After': String(seconds) } });
}

/** Removes the windows that have ended; for the scheduled sweep. */
export async function sweepRateWindows(signal: AbortSignal): Promise<void> {
  await removeAcrossTenants(RateWindowModel, { expiresAt: { $lte: now() } }, signal);
}

async function increment(orgId: string, _id: string, expiresAt: Date): Promise<number> {
  try {
    const counted = await RateWindowModel.findOneAndUpdate(
      { _id, orgId },
      { $inc: { count: 1 }, $set: { expiresAt } },
      { upsert: true, returnDocument: 'after' },
    ).lean<RateWindowDocument>();
    return counted?.count ?? 1;
  } catch (error) {
    // Two requests began the window at once.
    if (isDuplicateKey(error)) return await increment(orgId, _id, expiresAt);
    throw error;
  }
}
