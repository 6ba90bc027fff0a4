import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { withBrowser } from '../../support/browser.ts';
import { createOAuthClient } from '../../support/oauth-database-client.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { databaseUrlOf } from '../../support/tenants.ts';
import { expectReadable, expectUsable, logInAsOperator } from '../pages-browser.ts';

// Each page is looked at in many sizes, which takes a while on a busy machine.
jest.setTimeout(300_000);

describe('the console of operators', () => {
  const visit = withBrowser();
  let platform: Platform;

  beforeAll(async () => {
    platform = await startPlatform();
    const { orgId, applicationId } = platform.firstRun;
    const redirectUris = ['https://a-shop-with-a-long-name.example/oauth/callback'];
    await createOAuthClient(await databaseUrlOf(platform), { orgId, applicationId }, { redirectUris });
  });

  test('is usable in both schemes and at every width', async () => {
    await visit(async ({ page, complaints }) => {
      await logInAsOperator(page, platform);
      await expectReadable(page, 'operator-overview');
      await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Organizations' }).click();
      await expectUsable(page, 'operator-organizations');
      await page.getByRole('link', { name: 'First organization' }).click();
      await expectReadable(page, 'operator-organization');
      await page.getByRole('button', { name: 'Mark as first-party' }).first().click();
      await expectReadable(page, 'operator-client-question');
      await page.getByRole('dialog').getByRole('button', { name: 'Mark as first-party' }).click();
      await page.getByText('The client is first-party.').waitFor();
      await page.getByRole('link', { name: 'Plan and invoices' }).click();
      await expectReadable(page, 'operator-plan');
      await page.getByRole('link', { name: 'Audit log' }).click();
      await expectReadable(page, 'operator-audit');
      for (const area of ['Users', 'Registration', 'Nodes', 'Queues', 'Jobs']) {
        await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: area }).click();
        await expectUsable(page, `operator-${area.toLowerCase()}`);
      }
      expect(complaints).toEqual([]);
    });
  });

  test('suspends an organization, whose console is one page then', async () => {
    const { url } = platform;
    await visit(async ({ page, complaints }) => {
      await logInAsOperator(page, platform);
      await page.goto(`${url}/operator/console/organizations`);
      await page.getByRole('link', { name: 'First organization' }).click();
      await page.getByLabel('Reason').fill('Unpaid since January: write to billing with the number of the invoice');
      await page.getByRole('button', { name: 'Suspend organization' }).click();
      await page.getByText('The organization is suspended.').waitFor();
      await expectReadable(page, 'operator-organization-suspended');
      expect(complaints).toEqual([]);
      await page.goto(`${url}/console/first`);
      await expectReadable(page, 'console-suspended');
      // The browser writes the status of the page to its console.
      expect(complaints.splice(0).filter((one) => !one.includes('403 (Forbidden)'))).toEqual([]);
      await page.goto(`${url}/operator/console/organizations?state=suspended`);
      await page.getByRole('link', { name: 'First organization' }).click();
      await page.getByRole('button', { name: 'End suspension' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'End suspension' }).click();
      await page.getByText('The suspension is ended.').waitFor();
      expect(complaints).toEqual([]);
    });
  });
});
