import { isDeepStrictEqual } from 'node:util';
import { day, now } from '../../lib/clock.ts';
import { insertUnlessThere } from '../../lib/insert-unless-there.ts';
import { type RetentionDocument, RetentionModel } from '../../models/context/retention.ts';

type KeptDays = Pick<RetentionDocument, 'days' | 'lesser'>;

/** How long a reduction of the days waits before it counts. */
const grace = 30 * day;

/**
 * How many days events are kept, given the plan's days at an instant: the maximum of the last 30 days. So a failed card
 * or a mistaken change of plan does not delete data at once.
 */
export function keptWhenGiven({ days, lesser }: KeptDays, given: number, at: Date): KeptDays {
  if (given >= days) return { days: given, lesser: [] };
  const more = lesser.filter((one) => one.days > given);
  // Since when the plan has given no more than now; otherwise from now on.
  const since = lesser[more.length]?.since ?? at;
  const waiting = [...more, { days: given, since }];
  const place = waiting.findLastIndex((one) => at.getTime() - one.since.getTime() >= grace);
  return { days: waiting[place]?.days ?? days, lesser: waiting.slice(place + 1) };
}

/**
 * Stores the plan's days of an organization, and returns how many days its events are kept; null after a concurrent
 * write by another node, which then does the rest. The first value counts at once.
 */
export async function noteDays(orgId: string, given: number): Promise<number | null> {
  const former = await RetentionModel.findOne({ _id: orgId, orgId }).lean<RetentionDocument>();
  if (!former) {
    const fresh = { _id: orgId, orgId, revision: 1, days: given, lesser: [] };
    return (await insertUnlessThere<RetentionDocument>(RetentionModel, fresh)) ? given : null;
  }
  const { revision, days, lesser } = former;
  const kept = keptWhenGiven(former, given, now());
  if (isDeepStrictEqual(kept, { days, lesser })) return days;
  const next = { $set: kept, $inc: { revision: 1 } };
  const { matchedCount } = await RetentionModel.updateOne({ _id: orgId, orgId, revision }, next);
  return matchedCount === 1 ? kept.days : null;
}
