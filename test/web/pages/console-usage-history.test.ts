import { describe, expect, test } from '@jest/globals';
import type { UsagePeriodDocument } from '../../../models/billing/usage-period.ts';
import { expectPage, newVisitor, type Visitor, wordsOf } from '../../support/pages.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, slugOf, withDatabase } from '../../support/tenants.ts';
import { newUserClient } from '../../support/user-client.ts';
import { withinOneDay } from '../../support/within-one-day.ts';

const day = 86_400_000;
const today = () => Math.floor(Date.now() / day) * day;
const monthAgo = (months: number) => Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - months, 1);

async function newOwner() {
  const { orgId } = await newTenantClient();
  const visitor = await newVisitor((await newUserClient({ orgId })).sessionToken);
  return { orgId, visitor, path: `/console/${slugOf(orgId)}/usage` };
}

/** Stores the usage of ended periods: the start, the end and the use. */
async function store(
  orgId: string,
  meter: string,
  limit: number,
  periods: [start: number, end: number, used: number][],
) {
  const documents = periods.map(([start, end, used]): UsagePeriodDocument => {
    const times = { periodStart: new Date(start), periodEnd: new Date(end), archivedAt: new Date(end) };
    return {
      _id: `${orgId}:${meter}:${times.periodStart.toISOString()}`,
      orgId,
      meter,
      ...times,
      used,
      limit,
      revision: 1,
    };
  });
  await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
    database.collection<UsagePeriodDocument>('billing_usage_periods').insertMany(documents),
  );
}

/** The numbers of a chart by the label of the bar, from its table. */
function barsOf(text: string, title: string): Record<string, string> {
  const [, chart = ''] = text.split(`<h3>${title}</h3>`);
  const table = chart.slice(0, chart.indexOf('</figure>'));
  const rows = table.matchAll(/<th scope="row">([^<]*)<\/th><td class="end">([^<]*)<\/td>/g);
  return Object.fromEntries([...rows].map(([, label, value]) => [label!, value!]));
}

const labelOf = (at: number, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' }).format(at);
const dayLabel = (at: number) => labelOf(at, { day: 'numeric', month: 'short' });
const monthLabel = (at: number) => labelOf(at, { month: 'short', year: 'numeric' });

const historyOf = async (visitor: Visitor, path: string) => {
  const page = await visitor.get(path);
  expectPage(page, 200, /Usage history/);
  return page;
};

describe('the usage history', () => {
  test('has the events of the last 30 days, with those of today', async () => {
    await withinOneDay(async () => {
      const { orgId, visitor, path } = await newOwner();
      await store(orgId, 'context.eventsPerDay', 1000, [
        [today() - day, today(), 1234],
        [today() - 29 * day, today() - 28 * day, 7],
        [today() - 30 * day, today() - 29 * day, 999],
      ]);
      const page = await historyOf(visitor, path);
      const bars = barsOf(page.text, 'Events by day');
      expect(Object.keys(bars).length).toBe(30);
      expect(bars).toMatchObject({
        [dayLabel(today() - 29 * day)]: '7',
        [dayLabel(today() - 2 * day)]: '0',
        [dayLabel(today() - day)]: '1,234',
        [dayLabel(today())]: '0',
      });
      expect(wordsOf(page)).toMatch(/Events by day 1,241 in 30 days Limit /);
      expect(page.text).toContain('aria-label="Events by day: 1,241 in 30 days, 0 today so far."');
      expect(page.text).not.toContain('Emails by');
      expect(page.text).toContain('<div class="two"><figure');
    });
  });

  test('has each meter of the last 12 months, with days added up by month', async () => {
    await withinOneDay(async () => {
      const { orgId, visitor, path } = await newOwner();
      await store(orgId, 'context.eventsPerDay', 1000, [
        [monthAgo(1), monthAgo(1) + day, 10],
        [monthAgo(1) + day, monthAgo(1) + 2 * day, 5],
        [monthAgo(12), monthAgo(12) + day, 999],
      ]);
      await store(orgId, 'mail.sendsPerMonth', 500, [
        [monthAgo(11), monthAgo(10), 3],
        [monthAgo(1), monthAgo(0), 450],
      ]);
      const page = await historyOf(visitor, `${path}?history=months`);
      const events = barsOf(page.text, 'Events by month');
      expect(Object.keys(events).length).toBe(12);
      expect(events).toMatchObject({ [monthLabel(monthAgo(11))]: '0', [monthLabel(monthAgo(1))]: '15' });
      expect(barsOf(page.text, 'Emails by month')).toMatchObject({
        [monthLabel(monthAgo(11))]: '3',
        [monthLabel(monthAgo(1))]: '450',
        [monthLabel(monthAgo(0))]: '0',
      });
      expect(wordsOf(page)).toMatch(/Emails by month 453 in 12 months Limit /);
      expect(wordsOf(page)).toMatch(/Not used in the last 12 months: .*Notifications/);
      expect(page.text).toContain(`href="${path}?history=months#history" aria-current="true"`);
    });
  });

  test('has the bandwidth in sizes', async () => {
    await withinOneDay(async () => {
      const { orgId, visitor, path } = await newOwner();
      await store(orgId, 'storage.bandwidthGbPerMonth', 5, [
        [monthAgo(2), monthAgo(1), 1_200_000_000],
        [monthAgo(1), monthAgo(0), 3180],
      ]);
      const page = await historyOf(visitor, `${path}?history=months`);
      expect(barsOf(page.text, 'Bandwidth by month')).toMatchObject({
        [monthLabel(monthAgo(2))]: '1.2 GB',
        [monthLabel(monthAgo(1))]: '3.18 KB',
        [monthLabel(monthAgo(0))]: '0 bytes',
      });
      expect(wordsOf(page)).toMatch(/Bandwidth by month 1.2\sGB in 12 months Limit 5\sGB/);
    });
  });

  test('reads all pages of a meter of a year', async () => {
    await withinOneDay(async () => {
      const { orgId, visitor, path } = await newOwner();
      const days = Math.round((today() - monthAgo(11)) / day);
      await store(
        orgId,
        'context.eventsPerDay',
        1000,
        Array.from({ length: days }, (_, ago) => [today() - (ago + 1) * day, today() - ago * day, 2]),
      );
      const page = await historyOf(visitor, `${path}?history=months`);
      expect(wordsOf(page)).toContain(`Events by month ${(2 * days).toLocaleString('en')} in 12 months`);
    });
  });

  test('says what was not used, and takes an unknown view for the first', async () => {
    const { visitor, path } = await newOwner();
    const page = await historyOf(visitor, `${path}?history=%3Cb%3E`);
    expect(wordsOf(page)).toMatch(/Not used in the last 30 days: Events\./);
    expect(page.text).toContain(`href="${path}#history" aria-current="true"`);
    expect(page.text).not.toContain('<figure');
  });

  test('is of its organization alone', async () => {
    const { orgId, path } = await newOwner();
    await store(orgId, 'context.eventsPerDay', 1000, [[today() - day, today(), 1234]]);
    const other = await newOwner();
    expectPage(await other.visitor.get(path), 404);
    expect((await historyOf(other.visitor, other.path)).text).not.toContain('1,234');
  });
});
