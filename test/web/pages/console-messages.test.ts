import { beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import type { MessageDocument } from '../../../models/mail/message.ts';
import { newMessage } from '../../../services/mail/messages/store.ts';
import { expectPage, newVisitor, type Visitor, wordsOf } from '../../support/pages.ts';
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

const consoleOf = (orgId: string, path: string) => `/console/${slugOf(orgId)}/${path}`;
const at = (path: string) => consoleOf(tenant.orgId, path);
const visitorIn = async (orgId: string) => newVisitor((await newUserClient({ orgId })).sessionToken);

beforeAll(async () => {
  tenant = await newTenantClient();
  owner = await visitorIn(tenant.orgId);
  const template = { name: '<i>Order</i> shipped', subject: '{{ subject }}', text: 'It is on its way.' };
  const variables = [{ name: 'subject', required: true, sample: 'Order' }];
  ({ id: templateId } = await tenant.call('mail.templates.create', { body: { ...template, variables } }));
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

describe('the mail of an organization', () => {
  test('is shown how to begin, with a request that sends the reader a mail', async () => {
    const other = await newTenantClient();
    const visitor = await visitorIn(other.orgId);
    const page = await visitor.get(consoleOf(other.orgId, 'messages'));
    expectPage(page, 200, /No mail yet Create a template from a starter/);
    const [, script] = /<pre[^>]*>(.*?)<\/pre>/s.exec(page.text)!;
    const posted = [...decodeEntities(script!).matchAll(/(\/v1\/\S+).*?-d '(.*?\}\n?)'/gs)];
    const [[, createPath, create], [, sendPath, mail]] = posted as unknown as [string[], string[]];
    const post = (path: string, body: string) => other.send<Record<string, string>>('POST', path, JSON.parse(body));
    const template = await post(createPath!, create!);
    const { body } = await post(sendPath!, mail!.replace("'$TEMPLATE'", template.body.id!));
    const sent = await visitor.get(consoleOf(other.orgId, `messages/${body.messageId}`));
    expectPage(sent, 200, /Template Welcome , version 1/);
  });

  test('is begun with a template of the organization if one is published', async () => {
    const other = await newTenantClient();
    const content = {
      subject: '{{ news }}',
      text: 'News',
      variables: [{ name: 'news', required: true, sample: "It's" }],
    };
    await other.call('mail.templates.create', { body: { name: 'Draft', ...content, publish: false } });
    const { id } = await other.call('mail.templates.create', { body: { name: 'News', ...content } });
    const page = await (await visitorIn(other.orgId)).get(consoleOf(other.orgId, 'messages'));
    expectPage(page, 200, /No mail yet Send a template to yourself/);
    const [, quoted] = /-d '(.*)'\n?<\/pre>/s.exec(decodeEntities(page.text))!;
    const mail = JSON.parse(quoted!.replaceAll("'\\''", "'")) as object;
    expect(mail).toMatchObject({ templateId: id, variables: { news: "It's" } });
    expect((await other.send('POST', '/v1/mail/send', mail)).status).toBe(202);
  });

  test('is listed with its template and state, and filtered by recipient and state', async () => {
    const sent = await send('Grace@example.com', markup);
    const failed = await store({ status: 'failed', lastError: '550 5.7.1 Refused', subject: 'x'.repeat(300) });
    const page = await owner.get(at('messages'));
    expectPage(page, 200, /ida@example\.com .*Failed .*Grace@example\.com .*<i>Order<\/i> shipped Sent/);
    expect(wordsOf(page)).toContain(markup);
    expect(page.text).not.toMatch(/<b>Grüße|<i>Order/);
    const listed = async (query: Record<string, string>) => {
      const { text } = await owner.get(`${at('messages')}?${new URLSearchParams(query)}`);
      return [sent, failed].map((id) => text.includes(id));
    };
    expect(await listed({ to: 'grace@EXAMPLE.com' })).toEqual([true, false]);
    expect(await listed({ status: 'failed' })).toEqual([false, true]);
    expect(await listed({ status: 'failed', to: '' })).toEqual([false, true]);
    expectPage(await owner.get(at('messages?to=%3Cb%3Enobody')), 200, /No mail matches these filters/);
    const list = await owner.get(at('messages?fragment=list&status=failed'));
    expect(list.text).toMatch(/^<div class="fit"><div><table/);
  });

  test.each([
    ['an unknown state', 'status=lost', /queued/],
    ['a cursor of nobody', 'cursor=abc', /The cursor is not one this list returned/],
  ])('is not listed by %s', async (_what, query, words) => {
    expectPage(await owner.get(at(`messages?${query}`)), 400, words);
  });

  test('goes on to older mail by cursor, and keeps the filters', async () => {
    const subjects = Array.from({ length: 51 }, (_, index) => `Mail ${index}`);
    const to = 'many@example.com';
    for (const subject of subjects) await store({ subject, to, recipient: to, status: 'sent', sentAt: new Date() });
    const first = await owner.get(at(`messages?to=${to}`));
    const [, older] = /href="([^"]*)" rel="next">Older/.exec(first.text)!;
    const second = await owner.get(decodeEntities(older!));
    expectPage(second, 200, /many@example\.com Mail 0 , .*First page/);
    expect(second.text.match(/<th scope="row"/g)).toHaveLength(1);
  });

  test('is nobody’s but the members’', async () => {
    const id = await store({ status: 'sent' });
    const stranger = await newVisitor((await newUserClient()).sessionToken);
    for (const path of ['messages', `messages/${id}`]) expect((await stranger.get(at(path))).status).toBe(404);
    const other = await newTenantClient();
    const member = await visitorIn(other.orgId);
    for (const one of [id, newId('msg'), 'msg_x', 'x']) {
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
    const waiting = await store({ status: 'waiting', attempts: 2, lastError: '451 4.7.1 <Greylisted>' });
    expectPage(
      await owner.get(at(`messages/${waiting}`)),
      200,
      /Queued .*Attempt 2 did not succeed .*451 4\.7\.1 <Greylisted> Accepted/,
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
