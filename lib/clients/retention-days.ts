import { isDeepStrictEqual } from 'node:util';
import { model, Schema } from 'mongoose';
import { day, now } from '../data/clock.ts';
import { insertIfAbsent } from '../data/collection.ts';
import { tenantGuard } from '../data/tenant-guard.ts';

/** The retention of an organization's data in days, as its plan has set it. */
export type KeptDaysDocument = {
  /** The organization's id. */
  _id: string;
  orgId: string;
  /** Grows by one with each change, for optimistic concurrency control. */
  revision: number;
  /** The retention in force now, in days. */
  days: number;
  /** Pending reductions by a changed plan, not in force yet: the longest retention first, each with its start. */
  lesser: { days: number; since: Date }[];
};

type KeptDays = Pick<KeptDaysDocument, 'days' | 'lesser'>;

type KeptDaysModel = ReturnType<typeof keptDaysModel>;

/** The model of a service's collection of {@link KeptDaysDocument}. */
export function keptDaysModel(name: string, collection: string) {
  const schema = new Schema<KeptDaysDocument>(
    {
      _id: String,
      orgId: { type: String, required: true },
      revision: { type: Number, required: true },
      days: { type: Number, required: true },
      lesser: { type: [{ _id: false, days: Number, since: Date }], required: true },
    },
    { collection, versionKey: false },
  );
  schema.plugin(tenantGuard);
  return model(name, schema);
}

/** The delay before a reduction takes effect. */
const grace = 30 * day;

/**
 * The retention in force, given the plan's days at an instant: the maximum of the last 30 days, so that a failed card
 * or a mistaken change of plan does not delete data immediately.
 */
export function retentionInForce({ days, lesser }: KeptDays, planDays: number, at: Date): KeptDays {
  if (planDays >= days) return { days: planDays, lesser: [] };
  const more = lesser.filter((one) => one.days > planDays);
  // The start of the period in which the plan has set at most the current days; otherwise now.
  const since = lesser[more.length]?.since ?? at;
  const waiting = [...more, { days: planDays, since }];
  const place = waiting.findLastIndex((one) => at.getTime() - one.since.getTime() >= grace);
  return { days: waiting[place]?.days ?? days, lesser: waiting.slice(place + 1) };
}

/**
 * Stores the plan's days of an organization, and returns the retention in force; null after a concurrent write by
 * another node, which then completes the change. The first value takes effect immediately.
 */
export async function recordRetentionChange(
  retentions: KeptDaysModel,
  orgId: string,
  planDays: number,
): Promise<number | null> {
  const previous = await retentions.findOne({ _id: orgId, orgId }).lean<KeptDaysDocument>();
  if (!previous) {
    const fresh = { _id: orgId, orgId, revision: 1, days: planDays, lesser: [] };
    return (await insertIfAbsent<KeptDaysDocument>(retentions, fresh)) ? planDays : null;
  }
  const { revision, days, lesser } = previous;
  const kept = retentionInForce(previous, planDays, now());
  if (isDeepStrictEqual(kept, { days, lesser })) return days;
  const next = { $set: kept, $inc: { revision: 1 } };
  const { matchedCount } = await retentions.updateOne({ _id: orgId, orgId, revision }, next);
  return matchedCount === 1 ? kept.days : null;
}
