import { beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import type { MessageDocument } from '../../../models/mail/message.ts';
import { newMessage } from '../../../services/mail/messages/store.ts';
import { connect, newTemplate, untilStatus } from '../../support/notifications.ts';
import { expectPage, flowOf, newVisitor, type Visitor, wordsOf } from '../../support/pages.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, slugOf, withDatabase } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';
import { decodeEntities } from '../../support/user-agent.ts';
import { newUserClient } from '../../support/user-client.ts';

type Tenant = Awaited<ReturnType<typeof newTenantClient>>;

const markup = '<b>Grüße</b> & "more" שלום';

let tenant: Tenant;
let owner: Visitor;
let templateId: string;
let notificationTemplateId: string;

const consoleOf = (orgId: string, path: string) => `/console/${slugOf(orgId)}/${path}`;
const at = (path: string) => consoleOf(tenant.orgId, path);
const visitorIn = async (orgId: string) => newVisitor((await newUserClient({ orgId })).sessionToken);

beforeAll(async () => {
  tenant = await newTenantClient();
  owner = await visitorIn(tenant.orgId);
  const template = { name: '<i>Order</i> shipped', subject: '{{ subject }}', text: 'It is on its way.' };
  const variables = [{ name: 'subject', required: true, sample: 'Order' }];
  ({ id: templateId } = await tenant.call('mail.templates.create', { body: { ...template, variables } }));
  await connect(tenant);
  notificationTemplateId = await newTemplate(tenant, { name: '<u>Parcel</u>' });
});

/** Sends a mail with this subject, and waits until it is in the mailbox. */
async function send(to: string, subject: string): Promise<string> {
  const { messageId } = await tenant.call('mail.messages.send', { body: { to, templateId, variables: { subject } } });
  await eventually(async () => {
    const { status } = await tenant.call('mail.messages.read', { path: { messageId } });
    if (status !== 'sent') throw new Error(`${messageId} is ${status}.`);
  });
  return messageId;
}

/** Sends a notification, and waits until it is in the mailbox of the channel. */
async function notify(recipientId: string, changes: object = {}): Promise<string> {
  const body = {
    channel: 'chatapp' as const,
    recipientId,
    templateId: notificationTemplateId,
    variables: { name: 'Ada' },
  };
  const { notificationId } = await tenant.call('notification.notifications.send', { body });
  await untilStatus(tenant, notificationId, 'sent');
  await change('notification_messages', notificationId, changes);
  return notificationId;
}

async function change(collection: string, _id: string, changes: object): Promise<void> {
  if (Object.keys(changes).length === 0) return;
  await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
    database.collection<{ _id: string }>(collection).updateOne({ _id }, { $set: changes }),
  );
}

/** Stores a message as the delivery leaves it. */
async function store(changes: Partial<MessageDocument>): Promise<string> {
  const _id = newId('msg');
  const from = { name: 'Acme', address: 'mail@acme.example' };
  const to = { to: 'ida@example.com', recipient: 'ida@example.com' };
  const document = { ...newMessage(new Date()), _id, orgId: tenant.orgId, key: _id, from, sealedBody: null, ...to };
  await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
    database.collection<MessageDocument>('mail_messages').insertOne({ ...document, ...changes }),
  );
  return _id;
}

describe('the messages of an organization', () => {
  test('are begun, with a request that sends the reader a mail', async () => {
    const other = await newTenantClient();
    const visitor = await visitorIn(other.orgId);
    const page = await visitor.get(consoleOf(other.orgId, 'messages'));
    expectPage(page, 200, /No messages yet Create a template from a starter/);
    const [, script] = /<pre[^>]*>(.*?)<\/pre>/s.exec(page.text)!;
    const posted = [...decodeEntities(script!).matchAll(/(\/v1\/\S+).*?-d '(.*?\}\n?)'/gs)];
    const [[, createPath, create], [, sendPath, mail]] = posted as unknown as [string[], string[]];
    const post = (path: string, body: string) => other.send<Record<string, string>>('POST', path, JSON.parse(body));
    const template = await post(createPath!, create!);
    const { body } = await post(sendPath!, mail!.replace("'$TEMPLATE'", template.body.id!));
    const sent = await visitor.get(consoleOf(other.orgId, `messages/${body.messageId}`));
    expectPage(sent, 200, /Template Welcome , version 1/);
  });

  test('are begun with a template of the organization if one is published', async () => {
    const other = await newTenantClient();
    const content = {
      subject: '{{ news }}',
      text: 'News',
      variables: [{ name: 'news', required: true, sample: "It's" }],
    };
    await other.call('mail.templates.create', { body: { name: 'Draft', ...content, publish: false } });
    const { id } = await other.call('mail.templates.create', { body: { name: 'News', ...content } });
    const page = await (await visitorIn(other.orgId)).get(consoleOf(other.orgId, 'messages'));
    expectPage(page, 200, /No messages yet Send a template to yourself/);
    const [, quoted] = /-d '(.*)'\n?<\/pre>/s.exec(decodeEntities(page.text))!;
    const mail = JSON.parse(quoted!.replaceAll("'\\''", "'")) as object;
    expect(mail).toMatchObject({ templateId: id, variables: { news: "It's" } });
    expect((await other.send('POST', '/v1/mail/send', mail)).status).toBe(202);
  });

  test('are listed with template and state, and filtered by recipient, state, kind and day', async () => {
    const sent = await send('Grace@example.com', markup);
    const failed = await store({ status: 'failed', lastError: '550 5.7.1 Refused', subject: 'x'.repeat(300) });
    const notified = await notify('+49 170 1234567');
    const page = await owner.get(at('messages'));
    expectPage(
      page,
      200,
      /\+49 170 1234567 .*<u>Parcel<\/u> Notification: Chat app Sent .*ida@example\.com .*Mail Failed .*Grace@example\.com .*<i>Order<\/i> shipped Mail Sent/,
    );
    expect(wordsOf(page)).toContain(markup);
    expect(page.text).not.toMatch(/<b>Grüße|<i>Order|<u>Parcel/);
    expect(page.text).toContain(`href="${at(`messages/${sent}`)}"`);
    expect(page.text).toContain(`href="${at(`messages/notifications/${notified}`)}"`);
    const listed = async (query: Record<string, string>) => {
      const { text } = await owner.get(`${at('messages')}?${new URLSearchParams(query)}`);
      return [sent, failed, notified].map((id) => text.includes(`/${id}"`));
    };
    const today = new Date().toISOString().slice(0, 10);
    expect(await listed({ who: 'grace@EXAMPLE.com' })).toEqual([true, false, false]);
    expect(await listed({ who: '+49170/1234567' })).toEqual([false, false, true]);
    expect(await listed({ outcome: 'failed' })).toEqual([false, true, false]);
    expect(await listed({ outcome: 'failed', who: '' })).toEqual([false, true, false]);
    expect(await listed({ outcome: 'suppressed' })).toEqual([false, false, false]);
    expect(await listed({ kind: 'mail' })).toEqual([true, true, false]);
    expect(await listed({ kind: 'notification' })).toEqual([false, false, true]);
    expect(await listed({ kind: 'chatapp' })).toEqual([false, false, true]);
    expect(await listed({ kind: 'phone' })).toEqual([false, false, false]);
    expect(await listed({ text: failed })).toEqual([false, true, false]);
    expect(await listed({ text: notified, kind: 'notification' })).toEqual([false, false, true]);
    expect(await listed({ text: notified, to: '2020-01-31' })).toEqual([false, false, false]);
    expect(await listed({ from: today, to: today })).toEqual([true, true, true]);
    expect(await listed({ to: '2020-01-31' })).toEqual([false, false, false]);
    expectPage(await owner.get(at('messages?who=%3Cb%3Enobody')), 200, /No message matches these filters/);
    const list = await owner.get(at('messages?fragment=list&outcome=failed'));
    expect(list.text).toMatch(/^<div class="fit"><div><table/);
  });

  test('are a log next to the others, whose tabs keep the days, and lead to the suppressed addresses', async () => {
    const page = await owner.get(at('messages?from=2026-01-31&who=ida@example.com'));
    expectPage(page, 200, /Audit log Requests Messages/);
    for (const log of ['logs', 'logs/requests']) expect(page.text).toContain(`href="${at(log)}?from=2026-01-31"`);
    expect(page.text).toContain(`href="${at('messages/suppressions')}"`);
    const member = await newVisitor((await newUserClient({ orgId: tenant.orgId, role: 'member' })).sessionToken);
    expect(wordsOf(await member.get(at('messages')))).not.toContain('Audit log');
  });

  test('are found by their id in the search, by their organization alone', async () => {
    const mail = await store({ status: 'sent' });
    const notified = await notify('<i>found</i>');
    const searched = async (visitor: Visitor, path: string, id: string) => await visitor.get(`${path}?q=${id}`);
    const found = await searched(owner, at('search'), mail);
    expectPage(found, 200, /ida@example\.com Message$/);
    expect(found.text).toContain(`<a href="${at(`messages/${mail}`)}">`);
    const other = await searched(owner, at('search'), notified);
    expectPage(other, 200, /<i>found<\/i> Message$/);
    expect(other.text).toContain(`<a href="${at(`messages/notifications/${notified}`)}">`);
    const { orgId } = await newTenantClient();
    const stranger = await visitorIn(orgId);
    for (const id of [mail, notified, newId('msg')]) {
      expectPage(await searched(stranger, consoleOf(orgId, 'search'), id), 200, /Nothing found for/);
    }
  });

  test.each([
    ['an unknown state', 'outcome=lost', /State: Must be one of: queued/],
    ['an unknown channel', 'kind=fax', /Kind: Must be one of: chatapp/],
    ['a day that is none', 'from=yesterday', /From: Enter a date like 2026-11-30/],
    ['a cursor of nobody', 'cursor=abc', /The cursor is not one this list returned/],
    ['a format without a kind', 'format=csv', /Choose mail or notification/],
  ])('are not listed by %s', async (_what, query, words) => {
    expectPage(await owner.get(at(`messages?${query}`)), 400, words);
  });

  test('are downloaded by kind, as they are filtered', async () => {
    const recipientId = 'downloaded@example.com';
    const mail = await store({ to: recipientId, recipient: recipientId, status: 'sent' });
    const notification = await notify(recipientId);
    const page = await owner.get(at(`messages?who=${recipientId}`));
    expectPage(page, 200, /Export As filtered, at most 50,000 rows Mail CSV NDJSON Notifications CSV NDJSON/);
    const links = [...page.text.matchAll(/<a href="([^"]*format=ndjson)">/g)].map(([, href]) => decodeEntities(href!));
    const files = await Promise.all(links.map((link) => owner.get(link)));
    const rows = files.map(({ text }) =>
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    );
    expect(rows).toMatchObject([[{ messageId: mail }], [{ notificationId: notification }]]);
  });

  test('continue to older ones of both kinds by one cursor, and keep the filters', async () => {
    const to = 'many@example.com';
    const expected: string[] = [];
    for (let index = 0; index < 60; index += 1) {
      const mail = index % 5 !== 0;
      expected.unshift(
        mail ? await store({ to, recipient: to, status: 'sent', sentAt: new Date() }) : await notify(to),
      );
    }
    const idsOf = ({ text }: { text: string }) =>
      [...text.matchAll(/class="name" href="[^"]*\/(\w+)"/g)].map(([, id]) => id);
    const first = await owner.get(at(`messages?who=${to}`));
    const [, older] = /href="([^"]*)" rel="next">Older/.exec(first.text)!;
    const second = await owner.get(decodeEntities(older!));
    expectPage(second, 200, /many@example\.com .*First page/);
    expect(idsOf(first)).toEqual(expected.slice(0, 50));
    expect(idsOf(second)).toEqual(expected.slice(50));
    expect(second.text).not.toContain('rel="next"');
  });

  test('are nobody’s but the members’', async () => {
    const id = await store({ status: 'sent' });
    const notified = `notifications/${await notify('ada')}`;
    const stranger = await newVisitor((await newUserClient()).sessionToken);
    for (const path of ['messages', `messages/${id}`, `messages/${notified}`]) {
      expect((await stranger.get(at(path))).status).toBe(404);
    }
    const other = await newTenantClient();
    const member = await visitorIn(other.orgId);
    for (const one of [id, notified, newId('msg'), `notifications/${newId('ntf')}`, 'msg_x', 'x']) {
      expectPage(await member.get(consoleOf(other.orgId, `messages/${one}`)), 404, /Not found/);
    }
  });
});

describe('the page of a mail', () => {
  test('shows its sender, template and what happened', async () => {
    await tenant.call('mail.settings.write', { body: { fromName: '<u>Acme</u>', replyTo: 'desk@acme.example' } });
    const page = await owner.get(at(`messages/${await send('grace@example.com', markup)}`));
    expectPage(page, 200, /What happened Sent .*Accepted .*To grace@example\.com/);
    expect(wordsOf(page)).toMatch(/<u>Acme<\/u> .*Reply to desk@acme\.example .*<i>Order<\/i> shipped , version 1/);
    expect(page.text).not.toMatch(/<b>Grüße|<i>Order|<u>/);
  });

  test('shows the words of the mail server of a mail that waits, was returned or was not sent', async () => {
    const nextAttemptAt = new Date(Date.now() + 2.5 * 3_600_000);
    const waiting = await store({ status: 'waiting', attempts: 2, nextAttemptAt, lastError: '451 4.7.1 <Greylisted>' });
    expectPage(
      await owner.get(at(`messages/${waiting}`)),
      200,
      /Queued .*Next attempt It is tried for up to 24 hours\. In 2 hr Attempt 2 did not succeed 451 4\.7\.1 <Greylisted> Accepted .*Attempts 2 Next attempt/,
    );
    const detail = '552 5.2.2 mailbox full';
    const bounce = { type: 'bounced', isPermanent: true, detail, at: new Date() } as const;
    const bounced = await store({ status: 'bounced', sentAt: new Date(), feedback: [bounce], attempts: 1 });
    const page = await owner.get(at(`messages/${bounced}`));
    expectPage(page, 200, /Bounced .*Returned by the mail server 552 5\.2\.2 mailbox full .*Sent .*Accepted/);
    const failed = await store({ status: 'failed', lastError: 'The mail has no stored text.' });
    expectPage(await owner.get(at(`messages/${failed}`)), 200, /not tried again The mail has no stored text\./);
    const suppressed = await store({ status: 'suppressed' });
    expectPage(await owner.get(at(`messages/${suppressed}`)), 200, /the address is on the suppression list/);
  });

  test('names a template that was deleted', async () => {
    const body = { name: 'Old', subject: 'Old', text: 'Old' };
    const { id } = await tenant.call('mail.templates.create', { body });
    await tenant.call('mail.templates.delete', { path: { templateId: id } });
    const page = await owner.get(at(`messages/${await store({ templateId: id, templateVersion: 3, status: 'sent' })}`));
    expectPage(page, 200, /Old \(deleted\), version 3/);
  });
});

describe('the page of a notification', () => {
  test('shows its channel, template and attempts with the words of the provider, in the language of the page', async () => {
    const at1 = new Date();
    const reason = 'Telegram: no reason given';
    const events = [
      { type: 'queued', at: at1, connectionId: null, provider: null, reason: null },
      { type: 'rejected', at: at1, connectionId: newId('chn'), provider: 'telegram', reason },
    ];
    const nextAttemptAt = new Date(Date.now() + 2.5 * 3_600_000);
    const id = await notify('<i>ada</i>', { status: 'waiting', attempts: 1, nextAttemptAt, events });
    const page = await owner.get(at(`messages/notifications/${id}`));
    expectPage(
      page,
      200,
      /<i>ada<\/i> Queued .*Next attempt .*In 2 hr Not accepted by Telegram Telegram: no reason given/,
    );
    expect(wordsOf(page)).toMatch(/Channel Chat app .*Template <u>Parcel<\/u> , version 1 .*Attempts 1/);
    expect(page.text).not.toMatch(/<i>ada|<u>Parcel/);
    const german = await owner.get(at(`messages/notifications/${id}`), { 'accept-language': 'de' });
    expectPage(german, 200, /Wartet .*Nächster Versuch .*Telegram: nicht angenommen Telegram: ohne Angabe von Gründen/);
  });
});

describe('a failed message', () => {
  test.each([
    ['mail', 'messages', async () => fail(await send('again@example.com', 'Again'), 'mail_messages')],
    ['notification', 'messages/notifications', async () => fail(await notify('again'), 'notification_messages')],
  ])('is sent again by a member who may send, as a new one: a %s', async (_kind, folder, make) => {
    const id = await make();
    const path = at(`${folder}/${id}`);
    const page = await owner.get(path);
    expectPage(page, 200, /Failed .*Send again .*Send this message again\? A new message .*one unit of the plan/);
    const flow = flowOf(page);
    const answers = [await owner.post(`${path}/resend`, { flow }), await owner.post(`${path}/resend`, { flow })];
    const [first, second] = answers.map(({ status, headers }) => ({ status, location: headers.location }));
    expect(first).toMatchObject({ status: 303 });
    expect(second).toEqual(first);
    const shown = await owner.get(String(first!.location));
    expectPage(shown, 200, /This new message repeats the failed one\. .*Repeats The failed message/);
    expect(shown.text).toContain(`href="${path}"`);
    expectPage(await owner.get(path), 200, /Sent again as The new message/);
  });

  test('is not sent again by a stale form, or by a member without the permission, who reads what is missing', async () => {
    const id = await fail(await send('kept@example.com', 'Kept'), 'mail_messages');
    const path = at(`messages/${id}`);
    const member = await newVisitor((await newUserClient({ orgId: tenant.orgId, role: 'member' })).sessionToken);
    const page = await member.get(path);
    expectPage(page, 200, /To send it again, your role needs mail\.send \./);
    expect(page.text).not.toContain('/resend');
    const sent = await store({ status: 'sent' });
    const flow = flowOf(await owner.get(path));
    expect((await owner.post(`${path}/resend`, { flow: 'x' })).status).toBe(400);
    expect((await member.post(`${path}/resend`, { flow })).status).toBe(400);
    expectPage(await owner.post(at(`messages/${sent}/resend`), { flow }), 409, /Only a failed message/);
    const { data } = await tenant.call('mail.messages.list', { query: { to: 'kept@example.com' } });
    expect(data).toHaveLength(1);
  });
});

async function fail(id: string, collection: string): Promise<string> {
  await change(collection, id, { status: 'failed', lastError: 'refused' });
  return id;
}
