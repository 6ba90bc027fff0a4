import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { withBrowser } from '../../support/browser.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { databaseUrlOf } from '../../support/tenants.ts';
import { createUser } from '../../support/user-client.ts';
import { expectFocus, expectUsable, logInAsOperator } from '../pages-browser.ts';

// The window is looked at in many sizes, which takes a while on a busy machine.
jest.setTimeout(240_000);

describe('the keys of the console', () => {
  const visit = withBrowser();
  let platform: Platform;
  let sessionToken: string;

  beforeAll(async () => {
    platform = await startPlatform();
    const { orgId } = platform.firstRun;
    const databaseUrl = await databaseUrlOf(platform);
    ({ sessionToken } = await createUser(databaseUrl, { orgId, role: 'owner' }));
    for (const role of ['admin', 'member'] as const) await createUser(databaseUrl, { orgId, role });
  });

  async function open(page: Page, path: string): Promise<void> {
    await page.context().addCookies([{ name: 'platform_session', value: sessionToken, url: platform.url }]);
    await page.goto(`${platform.url}/console/${platform.firstRun.orgSlug}/${path}`);
  }

  const windowOf = (page: Page) => page.getByRole('dialog', { name: 'Keyboard shortcuts' });

  test('are shown by ?, as far as they work on the page', async () => {
    await visit(async ({ page, complaints }) => {
      await open(page, 'users');
      await page.keyboard.press('Shift+?');
      await windowOf(page).waitFor();
      for (const words of ['Search', 'Go to the search box of the list', 'Next row', 'Select the row']) {
        expect(await windowOf(page).getByText(words, { exact: true }).isVisible()).toBe(true);
      }
      await expectUsable(page, 'shortcuts');
      const rows = page.locator('main .table tbody tr:focus-within');
      await page.keyboard.press('j');
      expect(await rows.count()).toBe(0);
      await page.keyboard.press('Escape');
      expect(await windowOf(page).isVisible()).toBe(false);

      await open(page, '');
      await page.keyboard.press('Shift+?');
      await windowOf(page).waitFor();
      expect(await windowOf(page).getByText('Search', { exact: true }).isVisible()).toBe(true);
      for (const words of ['Go to the search box of the list', 'Next row']) {
        expect(await windowOf(page).getByText(words, { exact: true }).isVisible()).toBe(false);
      }
      expect(complaints).toEqual([]);
    });
  });

  test('are shown from the menu of the account, to which the focus returns', async () => {
    await visit(async ({ page }) => {
      await open(page, '');
      await page.getByRole('button', { name: 'Your account' }).click();
      await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
      await windowOf(page).waitFor();
      await windowOf(page).getByRole('button', { name: 'Close' }).click();
      expect(await page.evaluate("document.activeElement.getAttribute('popovertarget')")).toBe('me');
    });
    await visit(
      async ({ page }) => {
        await open(page, '');
        expect(await page.locator('[data-shortcuts]').getAttribute('hidden')).toBe('');
      },
      { javaScriptEnabled: false },
    );
  });

  test('do nothing while someone types, or with a modifier', async () => {
    await visit(async ({ page }) => {
      await open(page, 'users');
      await page.keyboard.press('/');
      await page.keyboard.type('?jx');
      expect(await page.locator('main input[type="search"]').inputValue()).toBe('?jx');
      expect(await windowOf(page).isVisible()).toBe(false);
      await page.locator('main h1').click();
      await page.keyboard.press('Alt+j');
      await page.keyboard.press('Control+Shift+?');
      expect(await windowOf(page).isVisible()).toBe(false);
      expect(await page.locator('main tr:focus-within').count()).toBe(0);
    });
  });

  test('move through a list, select its rows and open one', async () => {
    await visit(async ({ page, complaints }) => {
      await open(page, 'users');
      const rowOf = (email: string) => page.locator('main tbody tr', { hasText: email });
      const emails = await page.locator('main tbody tr a.name').allTextContents();
      expect(emails.length).toBeGreaterThanOrEqual(3);
      const expectAt = (index: number) => expectFocus(page, emails[index]!);
      // An arrow scrolls until a row has the focus.
      await page.keyboard.press('ArrowDown');
      expect(await page.locator('main tr:focus-within').count()).toBe(0);
      await page.keyboard.press('j');
      await expectAt(0);
      await page.keyboard.press('k');
      await expectAt(0);
      await page.keyboard.press('j');
      await page.keyboard.press('ArrowDown');
      await expectAt(2);
      await page.keyboard.press('ArrowUp');
      await expectAt(1);
      const boxes = page.locator('main .pick:checked');
      await page.keyboard.press('x');
      expect(await boxes.count()).toBe(1);
      expect(await rowOf(emails[1]!).locator('.pick').isChecked()).toBe(true);
      await page.keyboard.press('x');
      expect(await boxes.count()).toBe(0);
      // After a click on a box the keys go on from its row.
      await rowOf(emails[2]!).locator('.pick').check();
      await page.keyboard.press('k');
      await expectAt(1);
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/users\/usr_\w+$/);
      expect(await page.locator('main h1').textContent()).toContain(emails[1]);
      expect(complaints).toEqual([]);
    });
  });

  test('are those of the console of operators too, which has no search', async () => {
    await visit(async ({ page, complaints }) => {
      await logInAsOperator(page, platform);
      await page.keyboard.press('Shift+?');
      await windowOf(page).waitFor();
      expect(await windowOf(page).getByText('Search', { exact: true }).isVisible()).toBe(false);
      expect(complaints).toEqual([]);
    });
  });
});
