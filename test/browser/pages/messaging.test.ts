import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { withBrowser } from '../../support/browser.ts';
import { type Client, clientOf } from '../../support/client.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { createTenant, databaseUrlOf, slugOf, type Tenant, withDatabase } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';
import { createUser, type User } from '../../support/user-client.ts';
import { expectUsable } from '../pages-browser.ts';

// Each page is looked at in many sizes, which takes a while on a busy machine.
jest.setTimeout(300_000);

const mjml = (text: string) =>
  `<mjml><mj-body><mj-section><mj-column><mj-text>${text}</mj-text></mj-column></mj-section></mj-body></mjml>`;

describe('the pages of messaging', () => {
  const visit = withBrowser();
  let platform: Platform;
  let tenant: Client & Tenant;
  let user: User;
  let templateId: string;

  beforeAll(async () => {
    platform = await startPlatform();
    const own = await createTenant(await databaseUrlOf(platform));
    tenant = { ...own, ...clientOf({ url: platform.url, ...own }) };
    user = await createUser(await databaseUrlOf(platform), { orgId: tenant.orgId });
    const body = { starter: 'receipt' as const, name: `Receipt ${'long name '.repeat(8)}` };
    ({ id: templateId } = await tenant.call('mail.templates.create', { body }));
  });

  /** A mail and a notification that failed after a long answer, with long names. */
  async function newFailures(notificationTemplate: string): Promise<[mail: string, notified: string]> {
    const to = `${'reader'.repeat(9)}@example.com`;
    const { variables } = await tenant.call('mail.templates.read', { path: { templateId }, query: {} });
    const values = Object.fromEntries(variables.map(({ name, sample }) => [name, sample]));
    const sent = await tenant.call('mail.messages.send', { body: { to, templateId, variables: values } });
    const path = { templateId: notificationTemplate };
    const { variables: needed } = await tenant.call('notification.templates.read', { path, query: {} });
    const samples = Object.fromEntries(needed.map(({ name, sample }) => [name, sample]));
    const recipientId = 'recipient'.repeat(20);
    const notified = await tenant.call('notification.notifications.send', {
      body: { channel: 'chatapp', recipientId, templateId: notificationTemplate, variables: samples },
    });
    await failSent('mail_messages', sent.messageId);
    await failSent('notification_messages', notified.notificationId);
    return [sent.messageId, notified.notificationId];
  }

  async function failSent(collection: string, _id: string): Promise<void> {
    const failed = { status: 'failed', lastError: `550 5.7.1 ${'refused by policy '.repeat(8)}${'x'.repeat(80)}` };
    await eventually(async () => {
      const { matchedCount } = await withDatabase(await databaseUrlOf(platform), (database) =>
        database
          .collection<{ _id: string; status: string }>(collection)
          .updateOne({ _id, status: 'sent' }, { $set: failed }),
      );
      if (matchedCount === 0) throw new Error(`${_id} is not sent yet.`);
    });
  }

  async function open(page: Page, path: string): Promise<void> {
    await page.context().addCookies([{ name: 'platform_session', value: user.sessionToken, url: platform.url }]);
    await page.goto(`${platform.url}/console/${slugOf(tenant.orgId)}/${path}`);
  }

  const shown = (page: Page) => page.frame({ name: 'preview' })!.locator('body').textContent();

  test('can be used by everybody', async () => {
    const notification = await tenant.call('notification.templates.create', { body: { starter: 'order-shipped' } });
    const body = { channel: 'chatapp' as const, provider: 'mailbox' as const, name: 'Long name '.repeat(10) };
    const channel = await tenant.call('notification.channels.create', { body });
    await tenant.call('mail.suppressions.create', { body: { address: `${'long'.repeat(12)}@example.com` } });
    const [mail, notified] = await newFailures(notification.id);
    await visit(async ({ page, complaints }) => {
      for (const [path, name] of [
        ['templates', 'templates'],
        ['templates?search=none', 'templates-none'],
        ['templates/new', 'templates-new'],
        [`templates/${templateId}`, 'template'],
        [`notification-templates/${notification.id}`, 'notification-template'],
        ['channels', 'channels'],
        ['channels/new', 'channels-new'],
        ['channels/new?provider=sms', 'channels-sms'],
        [`channels/${channel.id}`, 'channel'],
        ['sender', 'sender'],
        ['messages', 'messages'],
        ['messages?who=nowhere@example.com&from=2026-01-31&outcome=failed&kind=mail', 'messages-none'],
        [`messages/${mail}`, 'message'],
        [`messages/notifications/${notified}`, 'notification'],
        ['messages/suppressions', 'suppressions'],
      ] as const) {
        await open(page, path);
        await expectUsable(page, `console-${name}`);
      }
      expect(complaints).toEqual([]);
    });
  });

  test('show the mail to a user on the page of the user', async () => {
    const variables = [{ name: 'subject', required: true, sample: 'Order' }];
    const body = { name: 'Long', subject: '{{ subject }}', text: 'On its way.', variables };
    const { id } = await tenant.call('mail.templates.create', { body });
    for (const subject of ['Your order', `Your order of ${'coffee '.repeat(20)}${'x'.repeat(60)}`]) {
      const mail = { to: user.email, templateId: id, variables: { subject } };
      await tenant.call('mail.messages.send', { body: mail });
    }
    await visit(async ({ page, complaints }) => {
      await eventually(async () => {
        await open(page, `users/${user.userId}/messages`);
        expect(await page.locator('main tbody').getByText('Sent', { exact: true }).count()).toBe(2);
      });
      await expectUsable(page, 'user-messages');
      expect(complaints).toEqual([]);
    });
  });

  test('renew the preview while a template is edited, and mark problems at their fields', async () => {
    await visit(async ({ page, complaints }) => {
      await open(page, `templates/${templateId}`);
      await page.locator('#subject').fill('Paid by {{ name }}');
      await page.locator('#body').fill(mjml('Thanks, <b style="color: rgb(1, 2, 3)">{{ name }}</b>'));
      await eventually(async () => expect(await shown(page)).toContain('Thanks, Grace'));
      expect(await page.locator('h3[data-part="subject"]').textContent()).toBe('Paid by Grace');
      const color = await page
        .frame({ name: 'preview' })!
        .evaluate("getComputedStyle(document.querySelector('b')).color");
      expect(color).toBe('rgb(1, 2, 3)');
      await page.locator('#body').fill(mjml('{{ nope }}'));
      await page.locator('#body-error').waitFor();
      expect(await page.locator('#body-error').textContent()).toBe('The variable nope is used but not declared.');
      expect(await shown(page)).toContain('Thanks, Grace');
      const rows = await page.locator('.variables tbody tr').count();
      await page.locator('.variables tbody tr:last-child input').first().fill('nope');
      expect(await page.locator('.variables tbody tr').count()).toBe(rows + 1);
      await page.locator('#body-error').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Save draft' }).click();
      await page.waitForURL('**?done=saved');
      expect(complaints).toEqual([]);
    });
  });

  test('show a draft in the frame without a script', async () => {
    await visit(
      async ({ page }) => {
        await open(page, `templates/${templateId}`);
        await page.locator('#body').fill(mjml('Without a script, {{ name }}'));
        await page.getByRole('button', { name: 'Preview' }).click();
        await eventually(async () => expect(await shown(page)).toContain('Without a script, Grace'));
      },
      { javaScriptEnabled: false },
    );
  });
});
