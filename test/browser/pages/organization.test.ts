import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { red, solid } from '../../integration/storage/images/test-images.ts';
import { withBrowser } from '../../support/browser.ts';
import { clientOf } from '../../support/client.ts';
import { createOAuthClient } from '../../support/oauth-database-client.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { createTenant, databaseUrlOf, slugOf, type Tenant } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';
import { createUser, type User } from '../../support/user-client.ts';
import { expectUsable } from '../pages-browser.ts';

// Each page is looked at in many sizes, which takes a while on a busy machine.
jest.setTimeout(180_000);

describe('the settings and the logs of an organization', () => {
  const visit = withBrowser();
  let platform: Platform;
  let tenant: Tenant;
  let owner: User;

  beforeAll(async () => {
    platform = await startPlatform();
    const databaseUrl = await databaseUrlOf(platform);
    tenant = await createTenant(databaseUrl);
    owner = await createUser(databaseUrl, { orgId: tenant.orgId });
    const client = clientOf({ url: platform.url, ...tenant });
    for (const name of ['Worker', `A-name-without-a-break-${'x'.repeat(70)}`]) {
      await client.call('identity.api-keys.create', {
        path: { id: tenant.applicationId },
        body: { name, scopes: ['context.story.read', 'mail.read'] },
      });
    }
  });

  async function open(page: Page, path: string): Promise<void> {
    await page.context().addCookies([{ name: 'platform_session', value: owner.sessionToken, url: platform.url }]);
    await page.goto(`${platform.url}/console/${slugOf(tenant.orgId)}/${path}`);
  }

  test('can be used by everybody, by day and by night, on a phone too', async () => {
    await visit(async ({ page, complaints, origins }) => {
      await open(page, 'settings');
      await expectUsable(page, 'settings');
      await open(page, 'logs');
      await expectUsable(page, 'logs');
      await page.getByRole('button', { name: 'Export' }).click();
      await expectUsable(page, 'logs-export');
      await page.keyboard.press('Escape');
      await page.locator('main a.name').first().click();
      await page.getByText('Request ID').waitFor();
      await expectUsable(page, 'logs-record');
      await open(page, 'logs?outcome=api-key.revoked&from=2026-01-01');
      await expectUsable(page, 'logs-none');
      expect(complaints).toEqual([]);
      expect([...origins]).toEqual([platform.url]);
    });
  });

  test('have a logo that is chosen and uploaded, and a colour', async () => {
    await visit(async ({ page, complaints, origins }) => {
      await open(page, 'settings');
      const image = await solid(300, 100, red).png().toBuffer();
      await page
        .getByLabel('File', { exact: true })
        .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: image });
      await page.getByRole('button', { name: 'Upload' }).click();
      await page.getByText('Logo saved').waitFor();
      const logo = page.getByRole('img', { name: 'Logo of Organization of a test' });
      expect(await logo.evaluate((element) => (element as unknown as { naturalWidth: number }).naturalWidth)).toBe(300);
      await page.getByLabel('Colour').fill('#aa3300');
      await page.getByRole('button', { name: 'Save colour' }).click();
      await page.getByText('Colour saved').waitFor();
      await expectUsable(page, 'settings-brand');
      const databaseUrl = await databaseUrlOf(platform);
      const { clientId } = await createOAuthClient(databaseUrl, tenant, {
        redirectUris: ['https://app.example.com/cb'],
      });
      await page.goto(`${platform.url}/self-service/login/browser?refresh=true&client_id=${clientId}`);
      await page.getByText('on Platform').waitFor();
      await expectUsable(page, 'login-brand');
      expect(complaints).toEqual([]);
      expect([...origins]).toEqual([platform.url]);
      await open(page, 'settings');
      await page.getByLabel('File', { exact: true }).setInputFiles({
        name: 'logo.svg',
        mimeType: 'image/svg+xml',
        buffer: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      });
      await page.getByRole('button', { name: 'Upload' }).click();
      await page.getByText('The image is damaged or has an unsupported format.').waitFor();
      await expectUsable(page, 'settings-brand-refused');
    });
  });

  test('show refused requests and what to do about them', async () => {
    await visit(async ({ page, complaints }) => {
      await open(page, 'logs/requests');
      await page.getByText('No refused or failed requests').waitFor();
      await expectUsable(page, 'requests-empty');
      const client = clientOf({ url: platform.url, ...tenant });
      await client.send('POST', `/applications/${tenant.applicationId}/api-keys`, { [`unknown-${'x'.repeat(90)}`]: 1 });
      await client.send('GET', `/v1/objects/pictures/${'a-long-name-'.repeat(12)}.png`);
      await client.send('DELETE', `/events/${'y'.repeat(200)}`);
      await client.send('GET', `/events/${'y'.repeat(200)}`);
      await eventually(async () => {
        await open(page, 'logs/requests?outcome=4xx');
        expect(await page.locator('main a.name').count()).toBeGreaterThanOrEqual(2);
      });
      await expectUsable(page, 'requests');
      await page.getByRole('link', { name: /^POST/ }).click();
      await page.getByRole('heading', { name: 'What to do' }).waitFor();
      await expectUsable(page, 'requests-one');
      await page.getByRole('link', { name: 'Error reference' }).click();
      await page.waitForURL('**/docs/errors#INPUT_INVALID');
      expect(await page.locator('tr:target').count()).toBe(1);
      expect(complaints).toEqual([]);
    });
  });

  test('ask in a dialog before someone leaves, and say why the last owner cannot', async () => {
    await visit(async ({ page }) => {
      await open(page, 'settings');
      await page.getByRole('button', { name: 'Leave' }).click();
      const dialog = page.getByRole('dialog', { name: 'Leave this organization?' });
      await dialog.getByRole('button', { name: 'Leave' }).click();
      await page.getByRole('alert').waitFor();
      expect(await page.getByRole('alert').textContent()).toMatch(/only owner/);
      await page.getByLabel(/^Enter .* to confirm$/).fill('another');
      await page.getByRole('button', { name: 'Delete organization' }).click();
      await page.locator('#confirm-error').waitFor();
      // The focus is at the end of the page, where the bar at the top covers a part of a button.
      await page.evaluate('scrollTo(0, 0)');
      await expectUsable(page, 'settings-refused');
    });
  });

  test('download the audit log as it is filtered', async () => {
    await visit(async ({ page }) => {
      await open(page, `logs?who=${tenant.applicationId}`);
      await page.getByRole('button', { name: 'Export' }).click();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: /^CSV/ }).click(),
      ]);
      expect(download.suggestedFilename()).toMatch(/^audit-log-\d{4}-\d\d-\d\d\.csv$/);
    });
  });
});
