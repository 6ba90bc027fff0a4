import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { exampleId } from '../../../lib/examples.ts';
import { afterInstant, pageOf, pageQuery, toPage } from '../../../lib/page.ts';
import { type UsagePeriodDocument, UsagePeriodModel } from '../../../models/billing/usage-period.ts';
import { type Meter, meters } from '../quota/meters.ts';
import { billedPath } from '../subscriptions/shapes.ts';
import { closingMeters } from './closing-meters.ts';

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

declare module '../../../lib/calls.ts' {
  interface Calls {
    'billing.usage.list-history': typeof listUsageHistory;
  }
}
