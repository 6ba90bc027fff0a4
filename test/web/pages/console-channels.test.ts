import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { connect } from '../../support/notifications.ts';
import { expectPage, expectRedirect, flowOf, newVisitor, type Visitor, wordsOf } from '../../support/pages.ts';
import { webhookSecret } from '../../support/provider-servers.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { slugOf } from '../../support/tenants.ts';
import { newUserClient } from '../../support/user-client.ts';

type Tenant = Awaited<ReturnType<typeof newTenantClient>>;

const markup = '<b>Grüße</b> & "more" שלום';

let tenant: Tenant;
let owner: Visitor;
let member: Visitor;
/** The token of a form that the member opened before the permission was taken away. */
let memberFlow: string;
let list: string;

const listOf = (orgId: string) => `/console/${slugOf(orgId)}/channels`;

beforeAll(async () => {
  tenant = await newTenantClient();
  owner = await newVisitor((await newUserClient({ orgId: tenant.orgId })).sessionToken);
  list = listOf(tenant.orgId);
  const user = await newUserClient({ orgId: tenant.orgId, role: 'admin' });
  member = await newVisitor(user.sessionToken);
  memberFlow = flowOf(await member.get(`${list}/new?provider=mailbox`));
  const path = { slug: slugOf(tenant.orgId), userId: user.userId };
  await tenant.call('identity.members.update', { path, body: { role: 'member' } });
});

const read = (channelId: string) => tenant.call('notification.channels.read', { path: { channelId } });
const all = async () => (await tenant.call('notification.channels.list', { query: { limit: '100' } })).data;
const create = (provider: string, fields: Record<string, string>) =>
  owner.postFrom(`${list}/new?provider=${provider}`, `${list}/new`, { provider, priority: '100', ...fields });

describe('the channels of an organization', () => {
  test('are shown how to begin', async () => {
    const other = await newTenantClient();
    const visitor = await newVisitor((await newUserClient({ orgId: other.orgId })).sessionToken);
    const page = await visitor.get(listOf(other.orgId));
    expectPage(page, 200, /Channels .* Connections Mail sender No channels yet .* Connect a channel/);
  });

  test('are connected by a provider with its fields, and listed', async () => {
    expectPage(await owner.get(`${list}/new`), 200, /Telegram .* WhatsApp .* SMS by Twilio .* Webhook/);
    const form = await owner.get(`${list}/new?provider=sms`);
    expectPage(form, 200, /Connect SMS by Twilio .* Account SID .* Auth token .* API key SID optional .* Sender/);
    expect(form.text).toMatch(/id="authToken"[^>]* type="password"/);
    const answer = await create('mailbox', { channel: 'chatapp', name: markup, priority: '7' });
    const [, id = ''] = /\/(chn_[^/?]+)\?done=connected$/.exec(String(answer.headers.location))!;
    expect(await read(id)).toMatchObject({ provider: 'mailbox', channel: 'chatapp', name: markup, priority: 7 });
    expectPage(await owner.get(`${list}/${id}?done=connected`), 200, /Connected .* Channel connected/);
    const shown = await owner.get(list);
    expectPage(shown, 200, /Grüße<\/b> & "more" שלום Chat app Chat app Development mailbox Connected 7/);
    expect(shown.text).not.toContain('<b>Grüße');
  });

  test('are drafts where the provider gives no clear answer', async () => {
    const credentials = { url: 'https://hooks.invalid/x', secret: webhookSecret };
    const answer = await create('webhook', { channel: 'phone', name: '', ...credentials });
    const page = await owner.get(String(answer.headers.location));
    expectPage(
      page,
      200,
      /Webhook Not confirmed .* The provider said: .* It sends nothing until a test message succeeds/,
    );
    expect(page.text).not.toContain(webhookSecret);
    expect(page.text).not.toContain('hooks.invalid');
  });

  test('are not connected with wrong fields; secrets are not sent back', async () => {
    const before = (await all()).length;
    const refusals = [
      ['telegram', { channel: 'chatapp', botToken: 'secret-token' }, 'botToken', /Must be a bot token/],
      ['telegram', { channel: 'phone', botToken: `123456:${'a'.repeat(35)}` }, 'channel', /Must be one of: chatapp/],
      ['webhook', { channel: 'web', url: 'ftp://example.com', secret: webhookSecret }, 'url', /Check the marked field/],
      ['webhook', { channel: 'web', url: 'https://example.com', secret: 'secret-token' }, 'secret', /whsec_/],
      ['mailbox', { channel: 'web', priority: 'x' }, 'priority', /whole number/],
      ['mailbox', { channel: 'web', priority: '1001' }, 'priority', /1000/],
      ['mailbox', { channel: 'web', name: 'x'.repeat(101) }, 'name', /at most 100/],
    ] as const;
    for (const [provider, fields, name, words] of refusals) {
      const answer = await create(provider, { name: '', ...fields });
      expectPage(answer, 400, words);
      expect(answer.text).toContain(`id="${name}-error"`);
      expect(answer.text).not.toMatch(/secret-token|whsec_[A-Za-z0-9+/]{20}/);
    }
    expectPage(await owner.post(`${list}/new`, { flow: 'x', provider: 'mailbox', channel: 'web', priority: '1' }), 400);
    expectPage(await create('mailbox', { channel: 'web', url: 'https://example.com' }), 400);
    const unknown = await owner.postFrom(`${list}/new?provider=mailbox`, `${list}/new`, { provider: 'nobody' });
    expectPage(unknown, 400, /Choose one of these providers/);
    const form = { flow: memberFlow, provider: 'mailbox', channel: 'web', priority: '1', name: '' };
    expectPage(await member.post(`${list}/new`, form), 403, /notification\.channels\.write/);
    expect((await all()).length).toBe(before);
  });

  test('are not offered to a member without the permission', async () => {
    expect((await member.get(list)).text).not.toContain(`${list}/new`);
    for (const query of ['', '?provider=mailbox']) {
      const page = await member.get(`${list}/new${query}`);
      expectPage(page, 200, /lacks notification\.channels\.write/);
      expect(page.text).not.toContain(`action="${list}/new"`);
      expect(page.text).not.toContain('?provider=');
    }
  });
});

describe('a channel', () => {
  let id: string;
  let page: string;
  beforeEach(async () => {
    id = await connect(tenant, { name: 'Shop bot', channel: 'web' });
    page = `${list}/${id}`;
  });

  test('is renamed, turned off and on', async () => {
    const save = (fields: Record<string, string>) => owner.postFrom(page, page, fields);
    expectRedirect(await save({ name: markup, priority: '3' }), `${page}?done=saved`);
    expect(await read(id)).toMatchObject({ name: markup, priority: 3, state: 'disabled' });
    expectPage(await owner.get(`${page}?done=saved`), 200, /Turned off .* Connection saved/);
    expectRedirect(await save({ name: 'Bot', priority: '3', enabled: 'on' }), `${page}?done=saved`);
    expect(await read(id)).toMatchObject({ name: 'Bot', state: 'connected' });
    for (const fields of [
      { name: 'x', priority: '-1' },
      { name: 'x', priority: '5000' },
      { name: 'x'.repeat(101), priority: '1' },
    ]) {
      expectPage(await save(fields), 400, /Check the marked field/);
    }
    expectPage(await owner.post(page, { flow: 'x', name: 'x', priority: '1' }), 400);
    expect(await read(id)).toMatchObject({ name: 'Bot', priority: 3, state: 'connected' });
  });

  test('gets other credentials, which are checked and never shown', async () => {
    const credentials = { url: 'https://hooks.invalid/x', secret: webhookSecret };
    const webhook = await connect(tenant, { provider: 'webhook', channel: 'microblog', credentials });
    const path = `${list}/${webhook}`;
    const shown = await owner.get(path);
    expect(shown.text).not.toMatch(/hooks\.invalid|whsec_[A-Za-z0-9+/]{20}/);
    const replace = (fields: Record<string, string>) => owner.postFrom(path, `${path}/credentials`, fields);
    expectRedirect(await replace({ ...credentials, url: 'https://other.invalid/' }), `${path}?done=credentials`);
    const before = await read(webhook);
    const refused = await replace({ url: 'ftp://x', secret: 'whsec_short' });
    expectPage(refused, 400, /Check the 2 marked fields/);
    expect(refused.text).not.toContain('whsec_short');
    expectPage(await replace({ url: 'https://example.com', secret: '' }), 400, /Required|required/);
    expect(await read(webhook)).toEqual(before);
  });

  test('sends a test message once for a form, and says why it was not sent', async () => {
    const sent = async (of: string) =>
      (await tenant.call('notification.notifications.list', { query: { limit: '100' } })).data.filter(
        ({ connectionId }) => connectionId === of,
      ).length;
    const test = { flow: flowOf(await owner.get(page)), recipientId: 'visitor-1' };
    for (const _ of [1, 2]) expectRedirect(await owner.post(`${page}/test`, test), `${page}?done=tested`);
    expect(await sent(id)).toBe(1);
    expectPage(await owner.postFrom(page, `${page}/test`, { recipientId: ' ' }), 400, /Enter a recipient/);
    expectPage(await owner.post(`${page}/test`, { ...test, flow: 'x' }), 400);
    expect(await sent(id)).toBe(1);
    const credentials = { url: 'https://hooks.invalid/x', secret: webhookSecret };
    const webhook = await connect(tenant, { provider: 'webhook', channel: 'photoapp', credentials });
    const failed = await owner.postFrom(`${list}/${webhook}`, `${list}/${webhook}/test`, { recipientId: 'ada' });
    expectPage(failed, 409, /The test message was not sent: The webhook/);
    expect(failed.text).toMatch(/id="recipientId"[^>]* value="ada"/);
  });

  test('is disconnected', async () => {
    expectPage(await owner.post(`${page}/disconnect`, { flow: 'x' }), 400);
    expect((await read(id)).id).toBe(id);
    expectRedirect(await owner.postFrom(page, `${page}/disconnect`), `${list}?done=disconnected`);
    expectPage(await owner.get(page), 404);
  });

  const posts = [
    ['', { name: 'x', priority: '1' }],
    ['/credentials', {}],
    ['/test', { recipientId: 'x' }],
    ['/disconnect', {}],
  ] as const;

  test('is only shown to a member without the permission', async () => {
    const shown = await member.get(page);
    expectPage(shown, 200, /Shop bot Connected .* lacks notification\.channels\.write/);
    expect(wordsOf(shown)).not.toMatch(/Disconnect|Save settings|Send test/);
    const before = await read(id);
    for (const [path, form] of posts) {
      expectPage(await member.post(page + path, { ...form, flow: memberFlow }), 403, /notification\.channels\.write/);
    }
    expect(await read(id)).toEqual(before);
  });

  test('is not found in another organization, nor by strangers', async () => {
    const other = await newTenantClient();
    const visitor = await newVisitor((await newUserClient({ orgId: other.orgId })).sessionToken);
    const path = `${listOf(other.orgId)}/${id}`;
    const flow = flowOf(await visitor.get(`${listOf(other.orgId)}/new?provider=mailbox`));
    expectPage(await visitor.get(path), 404);
    expectPage(await visitor.get(page), 404);
    for (const [below, form] of posts) expectPage(await visitor.post(path + below, { ...form, flow }), 404);
    expect((await read(id)).name).toBe('Shop bot');
  });
});
