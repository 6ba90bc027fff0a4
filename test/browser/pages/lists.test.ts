import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { UsagePeriodDocument } from '../../../models/billing/usage-period.ts';
import { withBrowser } from '../../support/browser.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { databaseUrlOf, withDatabase } from '../../support/tenants.ts';
import { createUser } from '../../support/user-client.ts';
import { expectUsable } from '../pages-browser.ts';

// Each page is looked at in many sizes, which takes a while on a busy machine.
jest.setTimeout(240_000);

const day = 86_400_000;

describe('the lists of the console', () => {
  const visit = withBrowser();
  let platform: Platform;
  let sessionToken: string;

  beforeAll(async () => {
    platform = await startPlatform();
    const { orgId } = platform.firstRun;
    const databaseUrl = await databaseUrlOf(platform);
    ({ sessionToken } = await createUser(databaseUrl, { orgId, role: 'owner' }));
    for (const role of ['admin', 'member', 'member'] as const) await createUser(databaseUrl, { orgId, role });
    await storeUsage(databaseUrl, orgId);
  });

  async function open(page: Page, path: string): Promise<void> {
    await page.context().addCookies([{ name: 'platform_session', value: sessionToken, url: platform.url }]);
    await page.goto(`${platform.url}/console/${platform.firstRun.orgSlug}/${path}`);
  }

  test('suspend chosen users after a question, and are downloaded', async () => {
    await visit(async ({ page, complaints }) => {
      await open(page, 'users');
      const bar = page.getByRole('form', { name: 'Selected users' });
      expect(await bar.isVisible()).toBe(false);
      await page.locator('.pick').nth(0).check();
      await page.locator('.pick').nth(1).check();
      expect(await bar.isVisible()).toBe(true);
      const count = "getComputedStyle(document.querySelector('.bulk .chosen'), '::before').content";
      expect(await page.evaluate(count)).toBe('counter(chosen) " "');
      await expectUsable(page, 'users-selected');
      await bar.getByRole('button', { name: 'Suspend' }).click();
      await expectUsable(page, 'users-suspend');
      await page.getByRole('button', { name: 'Suspend members' }).click();
      await page.waitForURL('**/users/bulk/confirm');
      await expectUsable(page, 'users-suspended');
      await page.getByRole('link', { name: 'Back to the list' }).click();
      await page.getByRole('button', { name: 'Export' }).click();
      await expectUsable(page, 'users-export');
      await page.setViewportSize({ width: 1280, height: 800 });
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'CSV', exact: true }).click(),
      ]);
      expect(download.suggestedFilename()).toMatch(/^users-\d{4}-\d\d-\d\d\.csv$/);
      expect(complaints).toEqual([]);
    });
  });

  test('hide columns, which the address keeps', async () => {
    await visit(async ({ page, complaints }) => {
      await open(page, 'users');
      await page.getByRole('button', { name: 'Columns' }).click();
      await expectUsable(page, 'users-columns');
      await page.getByLabel('Role').uncheck();
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.waitForURL('**/users?hide=role');
      expect(await page.getByRole('columnheader').allTextContents()).not.toContain('Role');
      await page.getByRole('searchbox').fill('nobody');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/users?search=nobody&hide=role');
      await page.getByRole('button', { name: 'Columns, 1 hidden' }).click();
      await expectUsable(page, 'users-columns-hidden');
      await page.getByRole('link', { name: 'Show all' }).click();
      await page.waitForURL('**/users?search=nobody');
      await open(page, 'applications?hide=slug');
      await page.getByRole('button', { name: 'Columns, 1 hidden' }).waitFor();
      await expectUsable(page, 'applications-columns-hidden');
      await open(page, 'logs?hide=action.about.from');
      await expectUsable(page, 'logs-columns-hidden');
      expect(complaints).toEqual([]);
    });
  });

  test('send chosen invitations again', async () => {
    await visit(async ({ page, complaints }) => {
      await open(page, 'invitations');
      for (const email of ['a-very-long-address-of-a-person-who-is-invited@department.example.com', 'b@example.com']) {
        await page.getByLabel('Email').fill(email);
        await page.getByRole('button', { name: 'Send invitation' }).click();
        await page.waitForURL('**/invitations?done=invited');
      }
      for (const box of await page.locator('.pick').all()) await box.check();
      await expectUsable(page, 'invitations-selected');
      const bar = page.getByRole('form', { name: 'Selected invitations' });
      await bar.getByRole('button', { name: 'Resend' }).click();
      await page.getByRole('button', { name: 'Resend invitations' }).click();
      await page.getByText('All 2 done.').waitFor();
      expect(complaints).toEqual([]);
    });
  });

  test('draw the usage of the last days and months', async () => {
    await visit(async ({ page, complaints }) => {
      await open(page, 'usage');
      await expectUsable(page, 'usage-days');
      await page.getByRole('link', { name: 'Last 12 months' }).click();
      await page.waitForURL('**/usage?history=months#history');
      await expectUsable(page, 'usage-months');
      expect(complaints).toEqual([]);
    });
  });
});

/** Stores the events of the last 60 days, and the mail of the last months. */
async function storeUsage(databaseUrl: string, orgId: string): Promise<void> {
  const today = Math.floor(Date.now() / day) * day;
  const at = new Date();
  const monthAgo = (months: number) => Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - months, 1);
  const period = (meter: string, start: number, end: number, used: number): UsagePeriodDocument => {
    const times = { periodStart: new Date(start), periodEnd: new Date(end), archivedAt: new Date(end) };
    const id = `${orgId}:${meter}:${times.periodStart.toISOString()}`;
    return { _id: id, orgId, meter, ...times, used, limit: 1000, revision: 1 };
  };
  const days = Array.from({ length: 60 }, (_, ago) =>
    period('context.eventsPerDay', today - (ago + 1) * day, today - ago * day, 300 + ((ago * 37) % 500)),
  );
  const months = Array.from({ length: 11 }, (_, ago) =>
    period('mail.sendsPerMonth', monthAgo(ago + 1), monthAgo(ago), 40 + ((ago * 53) % 300)),
  );
  await withDatabase(databaseUrl, (database) =>
    database.collection<UsagePeriodDocument>('billing_usage_periods').insertMany([...days, ...months]),
  );
}
