import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import type { Client } from '../../support/client.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, slugOf, type Tenant, withDatabase } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';

let tenant: Client & Tenant;
let templateId: string;

beforeEach(async () => {
  tenant = await newTenantClient();
  const variables = [{ name: 'order', required: true, sample: 'A-1' }];
  const body = { name: 'Order', subject: 'Order {{ order }}', text: 'Order {{ order }} is on its way.', variables };
  ({ id: templateId } = await tenant.call('mail.templates.create', { body }));
});

const newAddress = () => `${randomUUID()}@example.com`;

async function change(messageId: string, fields: object): Promise<void> {
  await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
    database.collection<{ _id: string }>('mail_messages').updateOne({ _id: messageId }, { $set: fields }),
  );
}

async function untilSent(messageId: string) {
  return await eventually(async () => {
    const message = await tenant.call('mail.messages.read', { path: { messageId } });
    if (message.status !== 'sent') throw new Error(`${messageId} is ${message.status}.`);
    return message;
  });
}

/** Sends a mail, and turns it into a failed one, whose content the development mailbox keeps. */
async function fail(to: string, fields: object = { status: 'failed', lastError: '451 4.7.1 Try later' }) {
  const body = { to, templateId, variables: { order: 'B-2' }, locale: 'de' };
  const { messageId } = await tenant.call('mail.messages.send', { body });
  await untilSent(messageId);
  await change(messageId, fields);
  return messageId;
}

const resend = (messageId: string, client: Client = tenant, headers = {}) =>
  client.attempt('mail.messages.resend', { path: { messageId } }, headers);

const listOf = async (to: string) => (await tenant.call('mail.messages.list', { query: { to } })).data;

async function charged(): Promise<number> {
  const { usage } = await tenant.call('billing.usage.read', { path: { orgId: tenant.orgId } });
  return usage.mail.sentThisMonth;
}

describe('POST /v1/mail/messages/:messageId/resend', () => {
  test.each(['failed', 'bounced'])(
    'sends a mail that %s again as a new one, of which each names the other',
    async (status) => {
      const to = newAddress();
      const messageId = await fail(to, { status });
      expect(await tenant.call('mail.messages.read', { path: { messageId } })).toMatchObject({
        isResendable: true,
        resentAs: null,
        resentFrom: null,
      });
      const { status: answered, body } = await resend(messageId);
      expect({ answered, body }).toEqual({
        answered: 202,
        body: { messageId: expect.stringMatching(/^msg_/), status: 'queued' },
      });
      expect(await untilSent(body.messageId)).toMatchObject({
        to,
        subject: 'Order B-2',
        templateId,
        templateVersion: 1,
        locale: 'de',
        resentFrom: messageId,
        isResendable: false,
      });
      expect(await tenant.call('mail.messages.read', { path: { messageId } })).toMatchObject({
        status,
        resentAs: body.messageId,
      });
      await eventually(async () => expect(await charged()).toBe(2));
      const path = { slug: slugOf(tenant.orgId) };
      const { data } = await tenant.call('identity.audit.list', { path, query: { targetId: messageId } });
      expect(data).toMatchObject([
        { action: 'mail.resent', target: { type: 'mail' }, after: { resentAs: body.messageId } },
      ]);
    },
  );

  test('is done once for an Idempotency-Key', async () => {
    const to = newAddress();
    const messageId = await fail(to);
    const headers = { 'idempotency-key': randomUUID() };
    const [first, second] = [await resend(messageId, tenant, headers), await resend(messageId, tenant, headers)];
    expect(second.body).toEqual(first.body);
    expect(await listOf(to)).toHaveLength(2);
  });

  test('sends nothing to an address that was suppressed since', async () => {
    const to = newAddress();
    const messageId = await fail(to);
    await tenant.call('mail.suppressions.create', { body: { address: to } });
    expect((await resend(messageId)).body).toMatchObject({ status: 'suppressed' });
    expect((await listOf(to)).map(({ status }) => status)).toEqual(['suppressed', 'failed']);
  });

  test.each([
    ['was sent', { status: 'sent' }],
    ['waits for its next attempt', { status: 'waiting', nextAttemptAt: new Date(Date.now() + 3_600_000) }],
    ['was suppressed', { status: 'suppressed' }],
    ['failed, and whose content is no longer stored', { status: 'failed', sealedBody: null }],
    ['is of the platform', { status: 'failed', key: `system:${randomUUID()}` }],
  ])('refuses a mail that %s', async (_what, fields) => {
    const to = newAddress();
    const messageId = await fail(to, fields);
    expect(await resend(messageId)).toMatchObject({ status: 409, body: { error: 'MESSAGE_NOT_RESENDABLE' } });
    expect(await listOf(to)).toHaveLength(1);
    const found = await tenant.call('mail.messages.read', { path: { messageId } });
    expect(found).toMatchObject({ isResendable: false, resentAs: null });
    await eventually(async () => expect(await charged()).toBe(1));
  });

  test('refuses an unknown mail, one of another organization, and a key without the permission', async () => {
    const to = newAddress();
    const messageId = await fail(to);
    const other = await newTenantClient();
    const reader = await newTenantClient({ scopes: ['mail.read'] });
    expect(await resend(newId('msg'))).toMatchObject({ status: 404 });
    expect(await resend(messageId, other)).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } });
    expect(await resend(messageId, reader)).toMatchObject({ status: 403, body: { error: 'PERMISSION_DENIED' } });
    expect(await listOf(to)).toHaveLength(1);
  });
});

describe('the filters by time of GET /v1/mail/messages', () => {
  test('include their start and exclude their end, and can be combined with a cursor', async () => {
    const to = newAddress();
    const ids: string[] = [];
    for (const order of ['1', '2', '3']) {
      const body = { to, templateId, variables: { order } };
      ids.unshift((await tenant.call('mail.messages.send', { body })).messageId);
    }
    const list = async (query: object) => {
      const { data, nextCursor } = await tenant.call('mail.messages.list', { query: { to, ...query } });
      return { ids: data.map(({ messageId }) => messageId), nextCursor };
    };
    const hour = 3_600_000;
    const at = (offset: number) => new Date(Date.now() + offset).toISOString();
    expect((await list({ since: at(-hour), before: at(hour) })).ids).toEqual(ids);
    expect((await list({ messageId: ids[1] })).ids).toEqual([ids[1]]);
    expect((await list({ messageId: ids[1], before: at(-hour) })).ids).toEqual([]);
    expect((await list({ messageId: newId('msg') })).ids).toEqual([]);
    expect((await list({ since: at(hour) })).ids).toEqual([]);
    expect((await list({ before: at(-hour) })).ids).toEqual([]);
    const first = await list({ since: at(-hour), limit: '2' });
    expect(first.ids).toEqual(ids.slice(0, 2));
    expect((await list({ since: at(-hour), limit: '2', cursor: first.nextCursor })).ids).toEqual(ids.slice(2));
    expect(await tenant.attempt('mail.messages.list', { query: { since: 'yesterday' } })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'query.since' }] },
    });
  });
});
