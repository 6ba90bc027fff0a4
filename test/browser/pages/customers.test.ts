import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { withBrowser } from '../../support/browser.ts';
import { type Client, clientOf } from '../../support/client.ts';
import { eventAbout } from '../../support/events.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { createTenant, databaseUrlOf, slugOf } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';
import { createUser, type User } from '../../support/user-client.ts';
import { expectUsable } from '../pages-browser.ts';

// Each page is looked at in many sizes, which takes a while on a busy machine.
jest.setTimeout(240_000);

describe('two customers who are one person', () => {
  const visit = withBrowser();
  let platform: Platform;
  let client: Client;
  let owner: User;

  beforeAll(async () => {
    platform = await startPlatform();
    const databaseUrl = await databaseUrlOf(platform);
    const tenant = await createTenant(databaseUrl);
    owner = await createUser(databaseUrl, { orgId: tenant.orgId });
    client = clientOf({ url: platform.url, ...tenant });
  });

  /** An id without a break, and one whose address is long. */
  async function newPair(): Promise<[string, string]> {
    const mark = crypto.randomUUID();
    const ids = [`guest-${'0'.repeat(60)}-${mark}`, `C-${mark}`] as [string, string];
    const events = ids.map((id, index) =>
      eventAbout(client.orgId, id, {
        eventName: 'customer.registered',
        occurredAt: `2026-03-0${index + 1}T10:00:00.000Z`,
        payload: {
          name: `Hanna Brandt ${index}`,
          email: `hanna-${index}-${mark}@a-department-with-a-long-name.example.com`,
        },
      }),
    );
    await client.call('context.events.create-batch', { body: { events } });
    await eventually(async () => {
      const { data } = await client.call('context.story.customers', { query: { q: ids[1] } });
      expect(data).toHaveLength(1);
    });
    return ids;
  }

  async function open(page: Page, path: string, language = 'en'): Promise<void> {
    const cookies = { platform_session: owner.sessionToken, platform_language: language };
    const url = platform.url;
    await page.context().addCookies(Object.entries(cookies).map(([name, value]) => ({ name, value, url })));
    await page.goto(`${url}/console/${slugOf(client.orgId)}/customers/${path}`);
  }

  test('are found, looked at side by side, and merged, on a phone too', async () => {
    const [guest, known] = await newPair();
    await visit(async ({ page, complaints }) => {
      await open(page, known);
      await expectUsable(page, 'customer');
      await page.getByRole('link', { name: 'Merge' }).click();
      await page.getByRole('heading', { name: 'Merge with another customer' }).waitFor();
      await expectUsable(page, 'merge-search');
      await page.getByRole('searchbox').fill('hanna');
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'Hanna Brandt 0' }).waitFor();
      await expectUsable(page, 'merge-found');
      await page.getByRole('link', { name: 'Hanna Brandt 0' }).click();
      await page.getByRole('heading', { name: 'Merge these customers?' }).waitFor();
      await expectUsable(page, 'merge-question');
      const left = async (name: string) => (await page.getByRole('region', { name }).boundingBox())!.x;
      expect(await left('Hanna Brandt 0')).toBeGreaterThan(await left('Hanna Brandt 1'));
      await page.setViewportSize({ width: 360, height: 800 });
      expect(await left('Hanna Brandt 0')).toBe(await left('Hanna Brandt 1'));
      await page.getByRole('button', { name: 'Merge customers' }).click();
      await page.waitForURL(`**/customers/${guest}?done=merged`);
      await page.getByText('Customers merged.').waitFor();
      await expectUsable(page, 'merged');
      expect(complaints).toEqual([]);
    });
  });

  test('are compared in German, also without scripts', async () => {
    const [guest, known] = await newPair();
    await visit(async ({ page }) => {
      await open(page, `${guest}/merge/${known}`, 'de');
      await page.getByRole('heading', { name: 'Diese Kunden zusammenführen?' }).waitFor();
      await expectUsable(page, 'merge-question-de');
      await open(page, guest, 'de');
      await expectUsable(page, 'customer-de');
    });
    await visit(
      async ({ page }) => {
        await open(page, `${known}/merge?q=${guest}`, 'de');
        await page.getByRole('link', { name: 'Hanna Brandt 0' }).click();
        await page.getByRole('button', { name: 'Kunden zusammenführen' }).click();
        await page.getByText('Kunden zusammengeführt.').waitFor();
      },
      { javaScriptEnabled: false },
    );
  });
});
