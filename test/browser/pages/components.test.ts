import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { withBrowser } from '../../support/browser.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { createTenant, databaseUrlOf, slugOf } from '../../support/tenants.ts';
import { newUserAgent } from '../../support/user-agent.ts';
import { createUser, joinAs } from '../../support/user-client.ts';
import { expectUsable, focused } from '../pages-browser.ts';

// Each page is looked at in many sizes, which takes a while on a busy machine.
jest.setTimeout(180_000);

describe('the components of pages', () => {
  const visit = withBrowser();
  let platform: Platform;

  beforeAll(async () => {
    platform = await startPlatform();
  });

  test('can be used by everybody, each of them', async () => {
    await visit(async ({ page, complaints, origins }) => {
      await page.goto(`${platform.url}/dev/gallery`);
      await expectUsable(page, 'gallery');
      await page.getByRole('button', { name: 'End all other sessions' }).click();
      await expectUsable(page, 'gallery-dialog');
      expect(complaints).toEqual([]);
      expect([...origins]).toEqual([platform.url]);
    });
  });

  test('copy a text, and say so', async () => {
    await visit(async ({ page }) => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.goto(`${platform.url}/dev/gallery`);
      const shown = await page.locator('#example-copy').textContent();
      await page.getByRole('button', { name: 'Copy reference' }).click();
      await page.getByText('Copied.').waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(shown);
    });
  });

  test('leave the text to be selected where there is no clipboard', async () => {
    await visit(
      async ({ page }) => {
        await page.goto(`${platform.url}/dev/gallery`);
        expect(await page.locator('#example-copy').isVisible()).toBe(true);
        expect(await page.getByRole('button', { name: 'Copy reference' }).count()).toBe(0);
      },
      { javaScriptEnabled: false },
    );
  });

  /** A browser at the sessions of a user who has another session too. */
  async function openSessions(page: Page): Promise<{ others: () => Promise<number> }> {
    const user = await createUser(await databaseUrlOf(platform));
    const other = newUserAgent(platform.url);
    await other.submit(await other.open('/self-service/login/browser'), { email: user.email, password: user.password });
    await page.context().addCookies([{ name: 'platform_session', value: user.sessionToken, url: platform.url }]);
    await page.goto(`${platform.url}/account/sessions`);
    return { others: () => page.getByRole('button', { name: /^End session/ }).count() };
  }

  const endOthers = (page: Page) => page.getByRole('button', { name: 'End all other sessions' });

  test('ask in a dialog before what cannot be undone', async () => {
    await visit(async ({ page, complaints }) => {
      const { others } = await openSessions(page);
      const dialog = page.getByRole('dialog', { name: 'End all other sessions?' });
      await endOthers(page).click();
      await dialog.waitFor();
      expect(await focused(page)).toBe('Cancel');
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
      expect(await focused(page)).toBe('End all other sessions');
      await page.keyboard.press('Enter');
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'hidden' });
      expect(await others()).toBe(1);
      await endOthers(page).click();
      await dialog.getByRole('button', { name: 'End all others' }).click();
      await page.waitForURL(/done=others-ended/);
      expect(await page.getByRole('status').textContent()).toBe('All other sessions ended.');
      expect(await others()).toBe(0);
      expect(complaints).toEqual([]);
    });
  });

  test('do without the dialog where scripts do not run', async () => {
    await visit(
      async ({ page }) => {
        const { others } = await openSessions(page);
        expect(await others()).toBe(1);
        await endOthers(page).click();
        await page.waitForURL(/done=others-ended/);
        expect(await others()).toBe(0);
      },
      { javaScriptEnabled: false },
    );
  });

  test('switch to another organization, without a script too', async () => {
    const databaseUrl = await databaseUrlOf(platform);
    const [first, second] = [await createTenant(databaseUrl), await createTenant(databaseUrl)];
    const user = await createUser(databaseUrl, { orgId: first.orgId });
    await joinAs(user, { orgId: second.orgId, role: 'member' }, databaseUrl);
    await visit(
      async ({ page }) => {
        await page.context().addCookies([{ name: 'platform_session', value: user.sessionToken, url: platform.url }]);
        await page.goto(`${platform.url}/console/${slugOf(first.orgId)}/usage`);
        await page.getByRole('button', { name: 'Organization of a test' }).first().click();
        await page.locator(`#orgs a[href="/console/${slugOf(second.orgId)}"]`).click();
        await page.waitForURL(`**/console/${slugOf(second.orgId)}`);
        // The console remembers it.
        await page.goto(`${platform.url}/console`);
        await page.waitForURL(`**/console/${slugOf(second.orgId)}`);
      },
      { javaScriptEnabled: false },
    );
  });
});
