import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { withBrowser } from '../support/browser.ts';
import { eventOf } from '../support/events.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { until } from '../support/until.ts';
import { expectUsable } from './pages-browser.ts';

// The pages of the reference are long, and each is examined in many sizes.
jest.setTimeout(180_000);

describe('the documentation in a browser', () => {
  const visit = withBrowser();
  let platform: Platform;

  beforeAll(async () => {
    platform = await startPlatform();
  });

  test.each([
    ['docs-start', '/docs/start'],
    ['docs-reference', '/docs/api/context'],
    ['docs-search', '/docs/search?q=mail'],
  ])('%s can be used by everybody in every size, and loads nothing from another host', async (name, path) => {
    await visit(async ({ page, complaints, origins }) => {
      await page.goto(platform.url + path);
      await expectUsable(page, name);
      expect(complaints).toEqual([]);
      expect([...origins]).toEqual([platform.url]);
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

  test('finds while one types, within a second, and the keyboard goes through the results', async () => {
    await visit(async ({ page, complaints }) => {
      await page.goto(`${platform.url}/docs`);
      await page.keyboard.press('/');
      await page.keyboard.type('minRevision');
      const first = page.locator('x-docs-search .results a').first();
      await first.waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/docs/access*');
      expect(complaints).toEqual([]);
    });
  });

  test('a request of the reference is refused without a key; with one it reads and sends', async () => {
    const { apiKey, applicationId, orgId } = platform.firstRun;
    const event = eventOf(orgId);
    await visit(async ({ page, complaints, origins }) => {
      const form = (id: string) => page.locator(`section:has(> h2[id="${id}"]) x-try`);
      const send = async (id: string, status: RegExp) => {
        await form(id).getByRole('button', { name: 'Send request' }).click();
        await form(id).getByRole('status').filter({ hasText: status }).waitFor();
        return JSON.parse((await form(id).locator('pre').textContent()) ?? '');
      };
      await page.goto(`${platform.url}/docs/api/identity`);
      await form('identity.me.read').locator('summary').click();
      expect(await send('identity.me.read', /^401/)).toMatchObject({ error: 'CREDENTIAL_REQUIRED' });
      // The browser's own word for the refusal that was asked for.
      expect(complaints.splice(0)).toEqual([expect.stringContaining('401')]);
      await page.getByLabel('API key for requests').fill(apiKey);
      expect(await send('identity.me.read', /^200/)).toMatchObject({ type: 'application', id: applicationId, orgId });

      await page.goto(`${platform.url}/docs/api/context`);
      await page.getByLabel('API key for requests').fill(apiKey);
      await page.getByLabel('API key for requests').press('Tab');
      await form('context.events.create').locator('summary').click();
      const tenant = form('context.events.create').getByLabel('x-tenant-id');
      const body = form('context.events.create').getByLabel('Body');
      // The page fills in the organization of the key.
      await until(async () => (await tenant.inputValue()) === orgId);
      expect(JSON.parse(await body.inputValue())).toMatchObject({ tenantId: orgId });
      await body.fill(JSON.stringify(event));
      expect(await send('context.events.create', /^201/)).toMatchObject({ eventId: event.eventId, status: 'accepted' });
      expect(complaints).toEqual([]);
      expect([...origins]).toEqual([platform.url]);
    });
  });
});
