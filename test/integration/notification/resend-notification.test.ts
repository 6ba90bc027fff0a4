import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import type { Client } from '../../support/client.ts';
import { chargedOf, connect, newTemplate, untilStatus } from '../../support/notifications.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, slugOf, type Tenant, withDatabase } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';

let tenant: Client & Tenant;
let templateId: string;

beforeEach(async () => {
  tenant = await newTenantClient();
  await connect(tenant);
  templateId = await newTemplate(tenant);
});

/** Sends a notification, and turns it into a failed one, whose content the development mailbox keeps. */
async function fail(recipientId: string, fields: object = { status: 'failed', lastError: 'Telegram: blocked' }) {
  const body = { channel: 'chatapp' as const, recipientId, templateId, variables: { name: 'Ada', orderId: 'A-1' } };
  const { notificationId } = await tenant.call('notification.notifications.send', { body });
  await untilStatus(tenant, notificationId, 'sent');
  await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
    database.collection<{ _id: string }>('notification_messages').updateOne({ _id: notificationId }, { $set: fields }),
  );
  return notificationId;
}

const resend = (notificationId: string, client: Client = tenant, headers = {}) =>
  client.attempt('notification.notifications.resend', { path: { notificationId } }, headers);

const listOf = async (recipientId: string) =>
  (await tenant.call('notification.notifications.list', { query: { recipientId } })).data;

describe('POST /v1/notifications/:notificationId/resend', () => {
  test('sends a failed notification again as a new one, of which each names the other', async () => {
    const recipientId = randomUUID();
    const notificationId = await fail(recipientId);
    const { status, body } = await resend(notificationId);
    expect({ status, body }).toMatchObject({ status: 200, body: { channel: 'chatapp' } });
    expect(await untilStatus(tenant, body.notificationId, 'sent')).toMatchObject({
      recipientId,
      templateId,
      templateVersion: 1,
      provider: 'mailbox',
      resentFrom: notificationId,
      isResendable: false,
    });
    const failed = await tenant.call('notification.notifications.read', { path: { notificationId } });
    expect(failed).toMatchObject({ status: 'failed', resentAs: body.notificationId, isResendable: true });
    await eventually(async () => expect(await chargedOf(tenant)).toBe(2));
    const path = { slug: slugOf(tenant.orgId) };
    const { data } = await tenant.call('identity.audit.list', { path, query: { targetId: notificationId } });
    expect(data).toMatchObject([{ action: 'notification.resent', after: { resentAs: body.notificationId } }]);
  });

  test('is done once for an Idempotency-Key', async () => {
    const recipientId = randomUUID();
    const notificationId = await fail(recipientId);
    const headers = { 'idempotency-key': randomUUID() };
    const first = await resend(notificationId, tenant, headers);
    expect((await resend(notificationId, tenant, headers)).body).toEqual(first.body);
    expect(await listOf(recipientId)).toHaveLength(2);
  });

  test.each([
    ['was sent', { status: 'sent' }],
    ['failed, and whose text is no longer stored', { status: 'failed', sealedContent: null }],
  ])('refuses a notification that %s', async (_what, fields) => {
    const recipientId = randomUUID();
    const notificationId = await fail(recipientId, fields);
    expect(await resend(notificationId)).toMatchObject({ status: 409, body: { error: 'MESSAGE_NOT_RESENDABLE' } });
    expect(await listOf(recipientId)).toHaveLength(1);
    await eventually(async () => expect(await chargedOf(tenant)).toBe(1));
  });

  test('refuses an unknown one, one of another organization, and a key without the permission', async () => {
    const recipientId = randomUUID();
    const notificationId = await fail(recipientId);
    const other = await newTenantClient();
    const reader = await newTenantClient({ scopes: ['notification.read'] });
    expect(await resend(newId('ntf'))).toMatchObject({ status: 404 });
    expect(await resend(notificationId, other)).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } });
    expect(await resend(notificationId, reader)).toMatchObject({ status: 403, body: { error: 'PERMISSION_DENIED' } });
    expect(await listOf(recipientId)).toHaveLength(1);
  });
});

describe('the filters of GET /v1/notifications', () => {
  test('find a recipient in another spelling, within a time', async () => {
    const name = randomUUID();
    const id = await fail(`${name}@Example.com`);
    const hour = 3_600_000;
    const at = (offset: number) => new Date(Date.now() + offset).toISOString();
    const list = async (query: object) => {
      const filter = { recipientId: `${name}@example.COM`, ...query };
      const { data } = await tenant.call('notification.notifications.list', { query: filter });
      return data.map(({ notificationId }) => notificationId);
    };
    expect(await list({})).toEqual([id]);
    expect(await list({ since: at(-hour), before: at(hour) })).toEqual([id]);
    expect(await list({ notificationId: id })).toEqual([id]);
    expect(await list({ notificationId: newId('ntf') })).toEqual([]);
    expect(await list({ since: at(hour) })).toEqual([]);
    expect(await list({ before: at(-hour) })).toEqual([]);
  });
});
