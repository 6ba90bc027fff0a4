import { z } from 'zod';
import { limitNamePattern } from '../../../lib/contract/declared-limits.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { exampleId } from '../../../lib/contract/examples.ts';
import { afterInstant, pageOf, pageQuery, toPage } from '../../../lib/contract/input.ts';
import { type UsagePeriodDocument, UsagePeriodModel } from '../../../models/billing/usage-period.ts';
import {
  builtInMeterNames,
  byService,
  declaredMeterNames,
  findMeter,
  limitIn,
  type Meter,
  type MeterKind,
  meterOf,
} from '../quota/meters.ts';
import { runningQuota } from '../quota/quota.ts';
import { billedPath, exampleSubscription } from '../subscriptions/endpoints.ts';
import { type EntitlementsCache, entitlementsNow } from '../subscriptions/entitlements.ts';

const perDay = z.strictObject({
  eventsToday: z.number().describe('The events of this day in UTC.'),
  limitPerDay: z.number().describe('The limit of the plan per day; 0: not included.'),
});
const perMonth = z.strictObject({ sentThisMonth: z.number(), limitPerMonth: z.number() });
const ofDeclared = z.union([
  z.strictObject({
    usedToday: z.number().describe('The use of this day in UTC.'),
    limitPerDay: z.number().describe('The limit of the plan per day.'),
  }),
  z.strictObject({
    usedThisMonth: z.number().describe('The use of this calendar month in UTC.'),
    limitPerMonth: z.number(),
  }),
  z.strictObject({
    used: z.number().describe('The present use.'),
    limit: z.number().describe('The limit of the plan.'),
  }),
]);

/** Usage in API responses. Days and months are of UTC; a limit of zero: the group is not included. */
const usage = z
  .strictObject({
    orgId: z.string(),
    /** The subscription's, `<start> / <end>`. */
    period: z.string(),
    usage: z
      .strictObject({
        context: perDay.describe('Events.'),
        notification: perMonth.describe('Notifications.'),
        mail: perMonth.describe('Mail.'),
        storage: z
          .strictObject({
            usedGb: z.number(),
            limitGb: z.number().describe('The limit of the plan in gigabytes; 0: not included.'),
          })
          .describe('Stored objects.'),
        services: z
          .record(z.string(), z.record(z.string(), ofDeclared))
          .optional()
          .describe(
            'The meters that further services declare, such as `services.hello.greetingsPerDay`; absent without any.',
          ),
      })
      .describe('The use of each part of the plan.'),
  })
  .meta({ id: 'Usage' });

/** The usage of an organization today, this month and in total, with open reservations. */
async function readUsage(ctx: Parameters<typeof entitlementsNow>[0], orgId: string): Promise<z.output<typeof usage>> {
  const granted = await entitlementsNow(ctx, orgId);
  const [context, notification, mail, storage, services] = await Promise.all([
    readOne(granted, 'context.eventsPerDay'),
    readOne(granted, 'notification.sendsPerMonth'),
    readOne(granted, 'mail.sendsPerMonth'),
    readOne(granted, 'storage.storageGb'),
    readDeclared(granted),
  ]);
  return {
    orgId,
    period: `${granted.period.start.toISOString()} / ${granted.period.end.toISOString()}`,
    usage: {
      context: { eventsToday: context.used, limitPerDay: context.limit },
      notification: { sentThisMonth: notification.used, limitPerMonth: notification.limit },
      mail: { sentThisMonth: mail.used, limitPerMonth: mail.limit },
      storage: { usedGb: storage.used, limitGb: storage.limit },
      ...(Object.keys(services).length > 0 && { services }),
    },
  };
}

type DeclaredUsage = z.output<typeof ofDeclared>;

const fieldsOf: Record<MeterKind, (used: number, limit: number) => DeclaredUsage> = {
  day: (used, limit) => ({ usedToday: used, limitPerDay: limit }),
  month: (used, limit) => ({ usedThisMonth: used, limitPerMonth: limit }),
  gauge: (used, limit) => ({ used, limit }),
};

/** The usage of declared meters, by service and by the name of the meter in it. */
async function readDeclared(granted: EntitlementsCache): Promise<Record<string, Record<string, DeclaredUsage>>> {
  return byService(
    await Promise.all(
      declaredMeterNames().map(async (meter): Promise<[string, DeclaredUsage]> => {
        const { used, limit } = await readOne(granted, meter);
        return [meter, fieldsOf[meterOf(meter).kind](used, limit)];
      }),
    ),
  );
}

async function readOne(granted: EntitlementsCache, meter: Meter): Promise<{ used: number; limit: number }> {
  const { used, limit } = await readMeter(granted, meter);
  return { used, limit: limit ?? 0 };
}

/** A meter for people, in the limit's own unit. Without a limit it is not included; a gauge has no period end. */
export async function readMeter(granted: EntitlementsCache, meter: Meter) {
  const { kind, unit, name } = meterOf(meter);
  const { used, counter } = await runningQuota().read(granted.orgId, meter);
  const periodEnd = counter.period?.end.toISOString() ?? null;
  return { meter, kind, name, used: used / unit, limit: limitIn(granted, meter), periodEnd };
}

/** A meter with periods. In the API document: the platform's, or one that a service declares. */
const meterName = z.string().meta({
  anyOf: [
    { enum: builtInMeterNames.filter((name) => meterOf(name).kind !== 'gauge') },
    { pattern: limitNamePattern.source },
  ],
});
const isClosing = (name: string): boolean => (findMeter(name)?.kind ?? 'gauge') !== 'gauge';

/** `period`: `<start> / <end>`. `used` and `limit` are in the limit's unit; the limit is the last that was used. */
const usagePeriod = z
  .strictObject({
    meter: meterName,
    period: z.string(),
    used: z.number().describe('The use in the period, in the unit of the limit.'),
    limit: z.number().describe('The limit of the plan at the last use in the period.'),
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
  description:
    'Returns the usage of each meter in past days and months, the newest first, for 13 months. Usage that is ' +
    'settled late is added to its period within an hour.',
  permission: 'billing.read',
  organization: ({ path }) => path.orgId,
  input: {
    path: billedPath,
    query: z.strictObject({
      ...pageQuery,
      meter: meterName.refine(isClosing, 'Must be a meter of days or months.').optional(),
    }),
  },
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
  const period = `${periodStart.toISOString()} / ${periodEnd.toISOString()}`;
  // A service's meter, whose declaration may be unknown here, has whole units as its limit.
  return { meter, period, used: used / (findMeter(meter)?.unit ?? 1), limit };
}

/** GET /v1/orgs/:orgId/usage: an organization's usage, with the limits of its plan. */
export const readUsageAction = defineAction({
  rest: 'GET /v1/orgs/:orgId/usage',
  summary: 'Read the usage of the plan',
  description:
    'Returns how much of the plan the organization uses now: events of today, mails and notifications of this ' +
    'month, and stored gigabytes. Days and months begin at midnight UTC. Work in progress counts as used.',
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
