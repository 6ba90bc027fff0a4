import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { withBrowser } from '../support/browser.ts';
import { eventOf } from '../support/events.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { until } from '../support/until.ts';

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

  test('runs without an error, within its content policy, and asks no other host', async () => {
    await visit(async ({ page, complaints, origins }) => {
      await open(page);
      await operation(page, 'POST', '/events').locator('.opblock-summary-control').click();
      await operation(page, 'POST', '/events').locator('.try-out__btn').waitFor();
      expect(complaints).toEqual([]);
      expect([...origins]).toEqual([platform.url]);
    });
  });

  test('its policy refuses what is not its own, and the watch of these tests notices', async () => {
    await visit(async ({ page, complaints }) => {
      await open(page);
      await page.evaluate("document.body.append(Object.assign(document.createElement('script'), { text: 'var ran' }))");
      expect(complaints).toContainEqual(expect.stringContaining('script-src'));
      expect(await page.evaluate("'ran' in window")).toBe(false);
    });
  });

  test('"Try it out" reads whom the authorized key belongs to', async () => {
    await visit(async ({ page, complaints, origins }) => {
      await open(page);
      await authorize(page, platform.firstRun.apiKey);
      const readMe = operation(page, 'GET', '/identity/me');
      const answer = await tryOut(readMe);
      expect(answer.status).toBe('200');
      expect(JSON.parse(answer.body)).toMatchObject({
        type: 'application',
        id: platform.firstRun.applicationId,
        name: 'First application',
        orgId: platform.firstRun.orgId,
      });
      expect(complaints).toEqual([]);
      expect([...origins]).toEqual([platform.url]);
    });
  });

  test('"Try it out" without a key shows the refusal', async () => {
    await visit(async ({ page }) => {
      await open(page);
      const answer = await tryOut(operation(page, 'GET', '/identity/me'));
      expect(answer.status).toContain('401');
      expect(JSON.parse(answer.body)).toMatchObject({ error: 'CREDENTIAL_REQUIRED' });
    });
  });

  test('"Try it out" sends the event that was typed in', async () => {
    const { apiKey, orgId } = platform.firstRun;
    const event = eventOf(orgId);
    await visit(async ({ page, complaints }) => {
      await open(page);
      await authorize(page, apiKey);
      const answer = await tryOut(operation(page, 'POST', '/events'), async (form) => {
        await form.locator('[data-param-name="x-tenant-id"] input').fill(orgId);
        await form.locator('textarea.body-param__text').fill(JSON.stringify(event));
      });
      expect(answer.status).toBe('201');
      expect(JSON.parse(answer.body)).toEqual({ eventId: event.eventId, status: 'accepted' });
      expect(complaints).toEqual([]);
    });
  });

  test('operations further down appear when the page is scrolled', async () => {
    await visit(async ({ page }) => {
      await page.goto(`${platform.url}/docs`);
      await page.locator('.opblock').first().waitFor();
      const last = page.locator('.opblock-summary-path[data-path^="/v1/notifications"]').first();
      await until(async () => {
        await page.mouse.wheel(0, 2_000);
        return last.isVisible();
      });
    });
  });

  /** Opens the page in a window as high as the page: of a long list, only the operations in view are in the document. */
  async function open(page: Page): Promise<void> {
    await page.setViewportSize({ width: 1280, height: 20_000 });
    await page.goto(`${platform.url}/docs`);
    await page.locator('.opblock').first().waitFor();
  }
});

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

/** Opens an operation's form, fills it in, sends it, and gives the answer that the page shows. */
async function tryOut(form: Locator, fill: (form: Locator) => Promise<void> = async () => undefined) {
  await form.locator('.opblock-summary-control').click();
  await form.locator('.try-out__btn').click();
  await fill(form);
  await form.locator('.execute').click();
  const answer = form.locator('.live-responses-table');
  const status = await answer.locator('tbody .response-col_status').textContent();
  const body = await answer.locator('tbody .highlight-code code').first().textContent();
  return { status: status?.trim(), body: body ?? '' };
}
