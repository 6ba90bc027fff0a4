import { isDeepStrictEqual } from 'node:util';
import { day, now } from '../../lib/clock.ts';
import { insertUnlessThere } from '../../lib/insert-unless-there.ts';
import { type RetentionDocument, RetentionModel } from '../../models/context/retention.ts';

type KeptDays = Pick<RetentionDocument, 'days' | 'lesser'>;

/** So long fewer days wait before they count. */
const grace = 30 * day;

/**
 * For how many days events are kept when a plan is seen to give so many at an instant: the most that it gave within 30
 * days before. So nothing that was paid for is lost at once because a card failed or a plan was changed by mistake.
 */
export function keptWhenGiven({ days, lesser }: KeptDays, given: number, at: Date): KeptDays {
  if (given >= days) return { days: given, lesser: [] };
  const more = lesser.filter((one) => one.days > given);
  // Since the plan first gave no more than it does now, if it did.
  const since = lesser[more.length]?.since ?? at;
  const waiting = [...more, { days: given, since }];
  const place = waiting.findLastIndex((one) => at.getTime() - one.since.getTime() >= grace);
  return { days: waiting[place]?.days ?? days, lesser: waiting.slice(place + 1) };
}

/**
 * Notes what an organization's plan gives, and says for how many days its events are kept; null when another node noted
 * something at the same time, which then does the rest. What the plan gives when it is first seen counts at once.
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
