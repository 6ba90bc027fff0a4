import { expect, test } from '@jest/globals';
import { mailboxToken } from '../../support/mailbox.ts';
import { connect, newTemplate, untilStatus } from '../../support/notifications.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { newUserAgent } from '../../support/user-agent.ts';

test('the mailbox for development shows notifications of the provider mailbox, with what values say escaped', async () => {
  const client = await newTenantClient();
  await connect(client);
  const templateId = await newTemplate(client);
  const { notificationId } = await client.call('notification.notifications.send', {
    body: {
      channel: 'chatapp',
      recipientId: 'ada',
      templateId,
      variables: { name: '<script>alert(1)</script>', orderId: client.orgId },
    },
  });
  await untilStatus(client, notificationId, 'sent');
  const agent = newUserAgent(client.url);
  const mails = await agent.open(`/dev/mailbox?token=${mailboxToken(await sharedPlatform())}`);
  expect(mails.text).toContain('href="/dev/mailbox/notifications"');
  const list = await agent.open('/dev/mailbox/notifications');
  expect(list.text).toContain(`Order ${client.orgId}`);
  const page = await agent.open(`/dev/mailbox/notifications/${notificationId}`);
  expect(page.text).toContain('Hello &lt;script&gt;alert(1)&lt;/script&gt;');
  expect(page.text).not.toContain('<script>alert');
  expect((await agent.open('/dev/mailbox/notifications/ntf_none')).status).toBe(404);
});
