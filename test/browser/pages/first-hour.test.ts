import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { withBrowser } from '../../support/browser.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { databaseUrlOf } from '../../support/tenants.ts';
import { createUser } from '../../support/user-client.ts';
import { expectUsable } from '../pages-browser.ts';

// Each page is looked at in many sizes, which takes a while on a busy machine.
jest.setTimeout(180_000);

describe('the first hour of a registered user', () => {
  const visit = withBrowser();
  let platform: Platform;

  beforeAll(async () => {
    platform = await startPlatform();
  });

  test.each([1280, 360])('leads to an organization, a key and a story, %i pixels wide', async (width) => {
    const { sessionToken } = await createUser(await databaseUrlOf(platform));
    await visit(async ({ page, complaints, origins }) => {
      await page.setViewportSize({ width, height: 800 });
      await page.context().addCookies([{ name: 'platform_session', value: sessionToken, url: platform.url }]);
      const press = (name: string) => page.getByRole('main').getByRole('button', { name, exact: true }).click();
      const follow = (name: string) => page.getByRole('main').getByRole('link', { name, exact: true }).first().click();
      await page.goto(`${platform.url}/console`);
      await page.getByLabel('Name').fill(`Acme ${width}`);
      await press('Create organization');
      await follow('Start: Create an API key');
      await follow('New application');
      await page.getByLabel('Name').fill('Shop');
      await press('Create application');
      await follow('Create key');
      await page.getByLabel('Name').fill('Server');
      await page.getByText('Events and stories').click();
      await page.getByLabel('context.events.write').check();
      await expectUsable(page, `new-key-${width}`);
      await press('Create key');
      expect(await page.locator('#api-key').textContent()).toMatch(/^svc_live_/);
      await follow('Send a first event');
      await press('Send this event');
      await page.getByText('Event accepted.').waitFor();
      await page.getByRole('heading', { name: /^Ada Lovelace, new customer/ }).waitFor();
      await expectUsable(page, `first-story-${width}`);
      expect(complaints).toEqual([]);
      expect([...origins]).toEqual([platform.url]);
    });
  });
});
