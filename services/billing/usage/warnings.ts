import type { Collection } from 'mongodb';
import { recordAuditEvent } from '../../../lib/clients/audit.ts';
import type { CallContext, Ctx } from '../../../lib/contract/context.ts';
import { hour } from '../../../lib/data/clock.ts';
import { nativeCollection } from '../../../lib/data/collection.ts';
import type { Language } from '../../../lib/format/language.ts';
import { type CounterDocument, CounterModel } from '../../../models/billing/counter.ts';
import { fromNow, now } from '../clock.ts';
import { mailOwners } from '../mail-owners.ts';
import { plans } from '../plans/plans.ts';
import { limitIn, type Meter, meterNames, meterOf, unitsOf } from '../quota/meters.ts';
import { cachedEntitlements } from '../subscriptions/entitlements.ts';
import { unitsInWords } from './unit-words.ts';

/** The percentages of a limit whose crossing is reported. */
export const levels = [80, 100] as const;

/**
 * The hysteresis in percentage points: usage counts as below a level only this far under it, so that a level is not
 * reported over and over.
 */
const slack = 5;

/**
 * `reached`: the levels to report. `left`: the reported levels that usage fell below; they are reported again when
 * crossed again.
 */
export type Crossings = { reached: number[]; left: number[] };

/** The crossings since `warned` was reported; `used` and `limit` in the same unit. A limit of zero reports nothing. */
export function crossingsOf({ used, limit, warned }: { used: number; limit: number; warned: number[] }): Crossings {
  if (limit <= 0) return { reached: [], left: [] };
  const isAt = (percent: number) => used * 100 >= percent * limit;
  return {
    reached: levels.filter((level) => isAt(level) && !warned.includes(level)),
    left: warned.filter((level) => !isAt(level - slack)),
  };
}

/** The fields of a counter that a warning needs. */
export type Counted = Pick<CounterDocument, '_id' | 'orgId' | 'used' | 'warned' | 'periodEnd'> & { meter: Meter };

/** Mails each owner how much of a limit is used; for a gauge at most once a day. Idempotent for one warning. */
export async function mailWarning(
  ctx: CallContext,
  { _id, orgId, meter, used, periodEnd }: Counted,
  { limit, percent }: { limit: number; percent: number },
): Promise<void> {
  const crossing = `${_id}:${percent}:${limit}${periodEnd ? '' : `:${now().toISOString().slice(0, 10)}`}`;
  const variables = (language: Language) => {
    const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 2 });
    return {
      what: unitsInWords(meter, language),
      percent: String(percent),
      used: numbers.format(used / meterOf(meter).unit),
      limit: numbers.format(limit),
    };
  };
  await mailOwners(ctx, orgId, { key: `quota-warning:${crossing}`, template: 'quota-warning', variables });
}

const warningConcurrency = 200;
/** The time after the end of its period for which a crossing is still reported. */
const latest = hour;

/**
 * Reports to the owners of each organization, by mail and by an audit record, that 80 or 100 % of a limit is used: each
 * crossing once, of counters and of gauges. Safe to repeat and to interrupt. A failure of one organization is retried
 * by the next run and does not delay the others.
 */
export async function warnOfUsage(ctx: Ctx, signal: AbortSignal): Promise<void> {
  for (const periodEnd of [null, { $gt: fromNow(-latest) }]) {
    const near = counters().find(
      { periodEnd, $or: [...nearSomeLimit(), { 'warned.0': { $exists: true } }] },
      { projection: { orgId: 1, meter: 1, used: 1, warned: 1, periodEnd: 1 }, batchSize: warningConcurrency },
    ) as unknown as AsyncIterable<Counted>;
    for await (const counter of near) {
      if (signal.aborted) return;
      await look(ctx, counter).catch((error) =>
        ctx.broker.logger.warn('Usage warning could not be sent; will retry', { counter: counter._id, error }),
      );
    }
  }
}

/** Counters near the lowest limit of any plan: only for these the organization's own limit is read. */
function nearSomeLimit(): { meter: Meter; used: { $gte: number } }[] {
  return meterNames().flatMap((meter) => {
    const limits = plans
      .map(({ name, entitlements }) => limitIn({ grantedPlan: name, entitlements }, meter) ?? 0)
      .filter((limit) => limit > 0);
    const units = unitsOf(Math.min(...limits), meter);
    return limits.length === 0 ? [] : [{ meter, used: { $gte: Math.floor((units * levels[0]) / 100) } }];
  });
}

async function look(ctx: Ctx, counter: Counted): Promise<void> {
  const { _id, orgId, meter, used, warned } = counter;
  const limit = await limitOf(ctx, counter);
  if (limit === null) return;
  const { reached, left } = crossingsOf({ used, limit: unitsOf(limit, meter), warned });
  if (left.length > 0) await counters().updateOne({ _id, orgId }, { $pullAll: { warned: left } });
  if (reached.length > 0) await warn(ctx, counter, { limit, reached });
}

/** Its limit, in its own unit; null where there is none. */
async function limitOf(ctx: Ctx, { orgId, meter }: Counted): Promise<number | null> {
  const granted = await cachedEntitlements(ctx, orgId);
  return granted && limitIn(granted, meter);
}

/**
 * The mail goes first: its key makes it one mail, also when the rest is repeated. Of several levels the highest is
 * reported.
 */
async function warn(ctx: Ctx, counter: Counted, { limit, reached }: { limit: number; reached: number[] }) {
  const { _id, orgId, meter, used } = counter;
  const percent = Math.max(...reached);
  await mailWarning(ctx, counter, { limit, percent });
  const { modifiedCount } = await counters().updateOne(
    { _id, orgId, warned: { $nin: reached } },
    { $push: { warned: { $each: reached } } },
  );
  if (modifiedCount === 0) return;
  const act = { action: 'quota.warned', orgId, actor: { type: 'system' as const, id: null } };
  const after = { percent, used, limit: unitsOf(limit, meter) };
  await recordAuditEvent(ctx, { ...act, target: { type: 'quota', id: meter }, after }).catch(async (error) => {
    await counters().updateOne({ _id, orgId }, { $pullAll: { warned: reached } });
    throw error;
  });
}

function counters(): Collection<CounterDocument> {
  return nativeCollection<CounterDocument>(CounterModel);
}
