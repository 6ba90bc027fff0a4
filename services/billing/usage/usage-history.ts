import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { exampleId } from '../../../lib/contract/examples.ts';
import { afterInstant, pageOf, pageQuery, toPage } from '../../../lib/contract/input.ts';
import { type UsagePeriodDocument, UsagePeriodModel } from '../../../models/billing/usage-period.ts';
import { runningQuota } from '../quota/quota.ts';
import { limitIn, type Meter, meters } from '../quota/shapes.ts';
import { billedPath, exampleSubscription } from '../subscriptions/endpoints.ts';
import { type EntitlementsCache, entitlementsNow } from '../subscriptions/entitlements.ts';
import { closingMeters } from './archive.ts';

const perDay = z.strictObject({ eventsToday: z.number(), limitPerDay: z.number() });
const perMonth = z.strictObject({ sentThisMonth: z.number(), limitPerMonth: z.number() });

/** Usage in API responses. Days and months are of UTC; a limit of zero: the group is not included. */
const usage = z
  .strictObject({
    orgId: z.string(),
    /** The subscription's, `<start> / <end>`. */
    period: z.string(),
    usage: z.strictObject({
      context: perDay,
      notification: perMonth,
      mail: perMonth,
      storage: z.strictObject({ usedGb: z.number(), limitGb: z.number() }),
    }),
  })
  .meta({ id: 'Usage' });

/** The usage of an organization today, this month and in total, with open reservations. */
async function readUsage(ctx: Parameters<typeof entitlementsNow>[0], orgId: string): Promise<z.output<typeof usage>> {
  const granted = await entitlementsNow(ctx, orgId);
  const [context, notification, mail, storage] = await Promise.all([
    readOne(granted, 'context.eventsPerDay'),
    readOne(granted, 'notification.sendsPerMonth'),
    readOne(granted, 'mail.sendsPerMonth'),
    readOne(granted, 'storage.storageGb'),
  ]);
  return {
    orgId,
    period: `${granted.period.start.toISOString()} / ${granted.period.end.toISOString()}`,
    usage: {
      context: { eventsToday: context.used, limitPerDay: context.limit },
      notification: { sentThisMonth: notification.used, limitPerMonth: notification.limit },
      mail: { sentThisMonth: mail.used, limitPerMonth: mail.limit },
      storage: { usedGb: storage.used, limitGb: storage.limit },
    },
  };
}

async function readOne(granted: EntitlementsCache, meter: Meter): Promise<{ used: number; limit: number }> {
  const { used, limit } = await readMeter(granted, meter);
  return { used, limit: limit ?? 0 };
}

/** A meter for people, in the limit's own unit. Without a limit it is not included; a gauge has no period end. */
export async function readMeter({ orgId, entitlements }: EntitlementsCache, meter: Meter) {
  const { used, counter } = await runningQuota().read(orgId, meter);
  const periodEnd = counter.period?.end.toISOString() ?? null;
  return { meter, used: used / meters[meter].unit, limit: limitIn(entitlements, meter), periodEnd };
}

/** `period`: `<start> / <end>`. `used` and `limit` are in the limit's unit; the limit is the last that was used. */
const usagePeriod = z
  .strictObject({
    meter: z.enum(closingMeters),
    period: z.string(),
    used: z.number(),
    limit: z.number(),
  })
  .meta({ id: 'UsagePeriod' });

type Row = Pick<UsagePeriodDocument, '_id' | 'meter' | 'periodStart' | 'periodEnd' | 'used' | 'limit'>;

/**
 * GET /v1/orgs/:orgId/usage/history: the usage of each meter in ended days and months, the newest first, for 13
 * months. Late settlements are added to their period within an hour.
 */
export const listUsageHistory = defineAction({
  rest: 'GET /v1/orgs/:orgId/usage/history',
  summary: 'List the usage of past periods',
  permission: 'billing.read',
  organization: ({ path }) => path.orgId,
  input: { path: billedPath, query: z.strictObject({ ...pageQuery, meter: z.enum(closingMeters).optional() }) },
  output: pageOf(usagePeriod),
  errors: ['NOT_FOUND', 'CURSOR_INVALID'],
  example: {
    path: { orgId: exampleId('org') },
    query: { limit: '20', meter: 'context.eventsPerDay' },
    output: {
      data: [
        {
          meter: 'context.eventsPerDay',
          period: '2026-03-03T00:00:00.000Z / 2026-03-04T00:00:00.000Z',
          used: 1840,
          limit: 50_000,
        },
        {
          meter: 'context.eventsPerDay',
          period: '2026-03-02T00:00:00.000Z / 2026-03-03T00:00:00.000Z',
          used: 1265,
          limit: 50_000,
        },
      ],
      nextCursor: null,
    },
  },
  async handler({ query: { meter, limit, cursor }, caller: { orgId } }) {
    const after = afterInstant(cursor, ['periodStart', '_id'], -1);
    const rows = await UsagePeriodModel.find({ orgId, ...(meter && { meter }), ...after })
      .sort({ periodStart: -1, _id: -1 })
      .limit(limit + 1)
      .select({ meter: 1, periodStart: 1, periodEnd: 1, used: 1, limit: 1 })
      .lean<Row[]>();
    return toPage(rows, limit, (row) => [row.periodStart.toISOString(), row._id], toUsagePeriodResponse);
  },
});

function toUsagePeriodResponse({ meter, periodStart, periodEnd, used, limit }: Row): z.output<typeof usagePeriod> {
  const name = meter as Meter;
  const period = `${periodStart.toISOString()} / ${periodEnd.toISOString()}`;
  return { meter: name, period, used: used / meters[name].unit, limit };
}

/** GET /v1/orgs/:orgId/usage: an organization's usage, with the limits of its plan. */
export const readUsageAction = defineAction({
  rest: 'GET /v1/orgs/:orgId/usage',
  summary: 'Read the usage of the plan',
  permission: 'billing.read',
  organization: ({ path }) => path.orgId,
  input: { path: billedPath },
  output: usage,
  errors: ['NOT_FOUND'],
  example: {
    path: { orgId: exampleSubscription.orgId },
    output: {
      orgId: exampleSubscription.orgId,
      period: `${exampleSubscription.currentPeriodStart} / ${exampleSubscription.currentPeriodEnd}`,
      usage: {
        context: { eventsToday: 318, limitPerDay: 50_000 },
        notification: { sentThisMonth: 42, limitPerMonth: 10_000 },
        mail: { sentThisMonth: 210, limitPerMonth: 50_000 },
        storage: { usedGb: 1.25, limitGb: 50 },
      },
    },
  },
  handler: ({ caller: { orgId }, ctx }) => readUsage(ctx, orgId),
});
