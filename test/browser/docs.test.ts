import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { withBrowser } from '../support/browser.ts';
import { eventOf } from '../support/events.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { until } from '../support/until.ts';

// The library goes through the whole document when it opens the page, and again for each operation.
jest.setTimeout(180_000);

describe('the page at /docs', () => {
  const visit = withBrowser();
  let platform: Platform;

  beforeAll(async () => {
    platform = await startPlatform();
  });

  test('lists every operation of /openapi.json', async () => {
    const response = await fetch(`${platform.url}/openapi.json`);
    const { paths } = (await response.json()) as { paths: Record<string, Record<string, unknown>> };
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    await visit(async ({ page }) => {
      // As high as the page: of a long list, only the operations in view are in the document.
      await page.setViewportSize({ width: 1280, height: 12_000 });
      await open(page);
      const listed = await page.locator('.opblock-summary').evaluateAll((rows) =>
        rows.map((row) => {
          const text = (selector: string) => row.querySelector(selector)?.textContent?.replaceAll('\u200b', '');
          return `${text('.opblock-summary-method')} ${text('.opblock-summary-path')}`;
        }),
      );
      expect(listed.sort()).toEqual(documented.sort());
    });
  });

  test('its policy refuses what is not its own, and the watch of these tests notices', async () => {
    await visit(async ({ page, complaints }) => {
      await page.goto(`${platform.url}/docs`);
      await page.evaluate("document.body.append(Object.assign(document.createElement('script'), { text: 'var ran' }))");
      expect(complaints).toContainEqual(expect.stringContaining('script-src'));
      expect(await page.evaluate("'ran' in window")).toBe(false);
    });
  });

  test('"Try it out" is refused without a key; with one it reads and sends, without an error and from no other host', async () => {
    const { apiKey, applicationId, orgId } = platform.firstRun;
    const event = eventOf(orgId);
    await visit(async ({ page, complaints, origins }) => {
      await open(page);
      const readMe = operation(page, 'GET', '/identity/me');
      await scrollTo(page, readMe);
      await tryOut(readMe, '401');
      expect(await shownBody(readMe)).toMatchObject({ error: 'CREDENTIAL_REQUIRED' });
      // The browser's own word for the refusal that was asked for.
      expect(complaints.splice(0)).toEqual([expect.stringContaining('401')]);

      await authorize(page, apiKey);
      await scrollTo(page, readMe);
      await readMe.locator('.execute').click();
      await showsStatus(readMe, '200');
      expect(await shownBody(readMe)).toMatchObject({
        type: 'application',
        id: applicationId,
        name: 'First application',
        orgId,
      });

      const sendEvent = operation(page, 'POST', '/events');
      await scrollTo(page, sendEvent);
      await tryOut(sendEvent, '201', async () => {
        await sendEvent.locator('[data-param-name="x-tenant-id"] input').fill(orgId);
        await sendEvent.locator('textarea.body-param__text').fill(JSON.stringify(event));
      });
      expect(await shownBody(sendEvent)).toEqual({ eventId: event.eventId, status: 'accepted' });
      expect(complaints).toEqual([]);
      expect([...origins]).toEqual([platform.url]);
    });
  });

  test('operations further down appear when the page is scrolled', async () => {
    await visit(async ({ page }) => {
      await open(page);
      await scrollTo(page, page.locator('.opblock-summary-path[data-path^="/v1/notifications"]').first());
    });
  });

  async function open(page: Page): Promise<void> {
    await page.goto(`${platform.url}/docs`);
    await page.locator('.opblock').first().waitFor();
  }
});

/** Scrolls down from the top until the page shows it. */
async function scrollTo(page: Page, one: Locator): Promise<void> {
  await page.evaluate('scrollTo(0, 0)');
  await until(async () => {
    if (await one.isVisible()) return true;
    await page.mouse.wheel(0, 600);
    return false;
  });
}

async function authorize(page: Page, apiKey: string): Promise<void> {
  await page.locator('.auth-wrapper > .authorize').click();
  const dialog = page.locator('.dialog-ux');
  const form = dialog.locator('.auth-container').filter({ hasText: 'An API key' });
  await form.locator('input').fill(apiKey);
  await form.getByRole('button', { name: 'Apply credentials' }).click();
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
}

function operation(page: Page, method: string, path: string): Locator {
  return page
    .locator(`.opblock-${method.toLowerCase()}`)
    .filter({ has: page.locator(`.opblock-summary-path[data-path="${path}"]`) });
}

/** Opens an operation's form, fills it in, sends it, and waits until the page shows an answer of this status. */
async function tryOut(form: Locator, status: string, fill: () => Promise<void> = async () => undefined): Promise<void> {
  await form.locator('.opblock-summary-control').click();
  await form.locator('.try-out__btn').click();
  await fill();
  await form.locator('.execute').click();
  await showsStatus(form, status);
}

async function showsStatus(form: Locator, status: string): Promise<void> {
  await form.locator('.live-responses-table tbody .response-col_status').filter({ hasText: status }).waitFor();
}

async function shownBody(form: Locator): Promise<unknown> {
  const body = form.locator('.live-responses-table tbody .highlight-code code').first();
  return JSON.parse((await body.textContent()) ?? '');
}
