import type { ServiceSchema } from 'moleculer';
import { z } from 'zod';
import { recordRetentionChange } from '../../lib/clients/retention-days.ts';
import { type CallContext, call } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { day, fromNow, now } from '../../lib/data/clock.ts';
import { deleteInBatches, maxBatchSize } from '../../lib/data/collection.ts';
import { idPattern } from '../../lib/data/ids.ts';
import { tenantsOf } from '../../lib/data/sweep.ts';
import { cron, everyMinutes, sweeping } from '../../mixins/cron/cron.ts';
import { type EventDocument, EventModel } from '../../models/context/event.ts';
import type { PendingEventDocument } from '../../models/context/pending-event.ts';
import { RetentionModel } from '../../models/context/retention.ts';
import { wakeComposer } from './compose/composer.ts';
import { sweepCustomerErasures } from './customer-erasures.ts';
import { sweepMerges } from './customer-merges.ts';
import { sweepErasures, toTombstone } from './erasure.ts';
import { insertPending, newPendingEvent, workFields } from './ingest/pending-events.ts';
import { removeOldRefused } from './refused-events.ts';

/** Runs the sweep every hour while the service runs. List it before `mongo(…)`, so that it stops first. */
export function retention(): Partial<ServiceSchema> {
  return cron(
    (broker) => ({
      name: 'context.retention',
      period: everyMinutes(60),
      run: (_period, signal) => sweepRetention(broker, signal),
    }),
    sweeping('context.erasures', everyMinutes(1), sweepCustomerErasures),
    sweeping('context.merges', everyMinutes(1), sweepMerges),
  );
}

/**
 * `context.retention.describe`, for services that keep data of customers: the retention in days; null when nothing is
 * to be removed now.
 */
export const describeRetention = defineAction({
  summary: 'Read the retention of customer data',
  permission: 'internal',
  input: { body: z.strictObject({ orgId: z.string().regex(idPattern('org')) }) },
  output: z.strictObject({ days: z.number().nullable() }),
  handler: async ({ body: { orgId }, ctx }) => ({ days: await daysKept(ctx, orgId) }),
});

/**
 * Expires events after the retention of their organization's plan, one organization after the other. An organization
 * that fails, or whose plan billing cannot report, keeps its events until the next run, does not delay the others, and
 * makes the run fail in the end.
 */
export async function sweepRetention(ctx: CallContext, signal: AbortSignal): Promise<void> {
  await sweepErasures();
  await removeOldRefused(signal);
  const failures: { orgId: string; reason: unknown }[] = [];
  for await (const [{ orgId }] of tenantsOf([EventModel])) {
    if (signal.aborted) break;
    await sweepOrganization(ctx, orgId, signal).catch((reason) => failures.push({ orgId, reason }));
  }
  wakeComposer();
  const [first] = failures;
  if (!first) return;
  const message = `Retention failed for ${first.orgId} and ${failures.length - 1} other organizations; will retry`;
  throw new Error(message, { cause: first.reason });
}

async function sweepOrganization(ctx: CallContext, orgId: string, signal: AbortSignal): Promise<void> {
  await removeStubs(orgId, signal);
  const days = await daysKept(ctx, orgId);
  if (days !== null) await removeExpired(orgId, fromNow(-days * day), signal);
}

/** The retention in days; null while it is unknown. */
async function daysKept(ctx: CallContext, orgId: string): Promise<number | null> {
  const days = await daysGiven(ctx, orgId);
  return days === null ? null : await recordRetentionChange(RetentionModel, orgId, days);
}

/** The plan's retention in days; null where it has none, or the organization is deleted. */
async function daysGiven(ctx: CallContext, orgId: string): Promise<number | null> {
  const { entitlements } = await call(ctx, 'billing.entitlements.describe', { body: { orgId } });
  return entitlements?.context.enabled ? entitlements.context.contextRetentionDays : null;
}

/** Removes expired tombstones, under every plan. */
async function removeStubs(orgId: string, signal: AbortSignal): Promise<void> {
  const ended = { orgId, stubUntil: { $lte: now() } };
  for (let removed = 1; removed > 0 && !signal.aborted; )
    removed = await deleteInBatches(EventModel, ended, maxBatchSize);
}

/**
 * Expires the events that were received until then, the oldest first. Events in a story become work, so that the story
 * is composed without them before they become tombstones.
 */
async function removeExpired(orgId: string, until: Date, signal: AbortSignal): Promise<void> {
  const kept = { orgId, stubUntil: null };
  await resumeExpired({ ...kept, receivedAt: { $lte: until }, expired: true });
  for (let from = new Date(0); !signal.aborted; ) {
    const range = { ...kept, receivedAt: { $gte: from, $lte: until }, expired: { $ne: true } };
    const batch = await EventModel.find(range, workFields).sort({ receivedAt: 1 }).limit(maxBatchSize).lean();
    const last = batch.at(-1);
    if (!last) return;
    const inNoStory = batch.filter(({ identifiers }) => identifiers.length === 0);
    const inStories = batch.filter(({ identifiers }) => identifiers.length > 0);
    if (inNoStory.length > 0) await EventModel.updateMany({ ...kept, _id: { $in: idsOf(inNoStory) } }, toTombstone());
    await EventModel.updateMany({ ...kept, _id: { $in: idsOf(inStories) } }, { $set: { expired: true } });
    await insertPending(inStories.map(newPendingEvent));
    from = last.receivedAt;
  }
}

/** Events that an earlier run marked become work again, in case a crash kept it from storing the work items. */
async function resumeExpired(marked: object): Promise<void> {
  const events = EventModel.find(marked, workFields).lean().cursor();
  let batch: PendingEventDocument[] = [];
  for await (const event of events as AsyncIterable<EventDocument>) {
    batch.push(newPendingEvent(event));
    if (batch.length < maxBatchSize) continue;
    await insertPending(batch);
    batch = [];
  }
  await insertPending(batch);
}

const idsOf = (events: { _id: string }[]): string[] => events.map(({ _id }) => _id);
