import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import {
  type Visitor as Browser,
  expectPage,
  expectRedirect,
  flowOf,
  newVisitor as newBrowser,
  wordsOf,
} from '../../support/pages.ts';
import { slugOf } from '../../support/tenants.ts';
import { decodeEntities } from '../../support/user-agent.ts';
import { newUserClient } from '../../support/user-client.ts';
import {
  newAgent,
  newMember,
  newShop,
  newVisitor,
  shopOrigin,
  signedBy,
  type Visitor,
} from '../../support/widget-client.ts';

type Shop = Awaited<ReturnType<typeof newShop>>;

let shop: Shop;
let agent: Awaited<ReturnType<typeof newAgent>>;
let inbox: Browser;

beforeAll(async () => {
  shop = await newShop();
  agent = await newAgent(shop);
  inbox = await newBrowser(agent.sessionToken);
});

/** The pages of the inbox, with a query that begins with `&`. */
const listPath = (orgId: string, more = '') => `/console/${slugOf(orgId)}/inbox${more.replace('&', '?')}`;
const pathOf = (id: string, orgId: string, more = '') =>
  `/console/${slugOf(orgId)}/inbox/${id}${more.replace('&', '?')}`;
const read = (id: string) => agent.call('connect.conversations.read', { path: { id } });
const messagesOf = async (id: string) =>
  (await agent.call('connect.messages.list', { path: { id }, query: { after: '0' } })).data;

async function begin(text: string, about: object = {}): Promise<{ visitor: Visitor; id: string }> {
  const visitor = await newVisitor(shop, about);
  return { visitor, id: (await visitor.say(text)).conversationId };
}

/** Sends a form of a conversation's page, as a browser without scripts does. */
const post = (id: string, form: string, fields: Record<string, string>) =>
  inbox.postFrom(pathOf(id, shop.orgId), `${pathOf(id, shop.orgId)}/${form}`, fields);

describe('the inbox, without scripts', () => {
  test('lists the conversations that are open, with what is unread, and counts those in its title', async () => {
    const { id } = await begin('Does <b>the saddle</b> fit?');
    const page = await inbox.get(listPath(shop.orgId));
    expectPage(page, 200, /Inbox \/ Open Pending Closed All Everyone Mine Unassigned/);
    expect(page.text).toMatch(/<title>\(\d+\) Inbox · /);
    expect(page.text).toContain(`<a class="conv unread" href="${pathOf(id, shop.orgId)}#end">`);
    expect(wordsOf(page)).toContain('Does <b>the saddle</b> fit?');
    expect(page.text).toContain('Does &lt;b&gt;the saddle&lt;/b&gt; fit?');
  });

  test('lists the unread ones first, the latest first within both, page by page', async () => {
    const own = await newShop();
    const colleague = await newAgent(own);
    const browser = await newBrowser(colleague.sessionToken);
    const texts = ['first', 'second', 'third', 'fourth'];
    const ids: string[] = [];
    for (const text of texts) ids.push((await (await newVisitor(own)).say(text)).conversationId);
    const [first = '', second = '', third = '', fourth = ''] = ids;
    for (const id of [second, fourth]) {
      await colleague.call('connect.conversations.read-up-to', { path: { id }, body: { seq: 1 } });
    }
    const orderOn = (text: string) => [...text.matchAll(/<li id="(conv_\w+)"/g)].map(([, id]) => id);
    const page = await browser.get(listPath(own.orgId));
    expect(orderOn(page.text)).toEqual([third, first, fourth, second]);
    expect(page.text).toContain('<title>(2) Inbox · ');
    // A page of the read ones, as the link to older conversations names it.
    const { nextCursor } = await colleague.call('connect.conversations.list', {
      query: { limit: '1', unread: 'false' },
    });
    const older = await browser.get(listPath(own.orgId, `&part=read&cursor=${nextCursor}`));
    expect(orderOn(older.text)).toEqual([second]);
  });

  test('searches within the filters, keeps them, and leads to a search without them', async () => {
    const { visitor, id } = await begin('Find me');
    const name = `Quentin ${crypto.randomUUID()}`;
    await visitor.send('POST', '/v1/widget/messages', { text: 'It is me.', echoId: 'me', name });
    const q = `&q=${new URLSearchParams({ name }).toString().slice('name='.length)}`;
    const page = await inbox.get(listPath(shop.orgId, q));
    expect(decodeEntities(page.text)).toContain(`href="${pathOf(id, shop.orgId, q)}#end"`);
    expect(page.text).toContain(`type="search" name="q" value="${name}"`);
    expect([...page.text.matchAll(/<li id="conv_/g)]).toHaveLength(1);
    const closed = await inbox.get(listPath(shop.orgId, `&status=closed${q}`));
    expectPage(closed, 200, /No conversation matches with these filters\. Search all conversations/);
    expect(closed.text).toContain('<input type="hidden" name="status" value="closed">');
    expect(decodeEntities(closed.text)).toContain(`href="${listPath(shop.orgId, `&status=all${q}`)}"`);
    expectPage(await inbox.get(listPath(shop.orgId, '&status=all&q=nobody+at+all')), 200, /No conversation matches\./);
    expectPage(await inbox.get(listPath(shop.orgId, `&q=${'x'.repeat(300)}`)), 400);
  });

  test('filters by status and assignee, and keeps the filter beside a conversation', async () => {
    const { id } = await begin('To be closed');
    await agent.call('connect.conversations.update', {
      path: { id },
      body: { status: 'closed', assigneeId: agent.userId },
    });
    expect((await inbox.get(listPath(shop.orgId))).text).not.toContain(id);
    for (const more of ['&status=closed', '&status=all&assignee=me']) {
      const page = await inbox.get(listPath(shop.orgId, more));
      expect(decodeEntities(page.text)).toContain(`href="${pathOf(id, shop.orgId, more)}#end"`);
    }
    expect((await inbox.get(listPath(shop.orgId, '&status=all&assignee=none'))).text).not.toContain(id);
  });

  test('shows a conversation without marking it, marks it as read by its button, and answers it', async () => {
    const { visitor, id } = await begin('See https://shop.example.com/saddle.');
    const page = await inbox.get(pathOf(id, shop.orgId));
    expectPage(page, 200, /Visitor Offline|Visitor Online/);
    expect(page.text).toContain(
      '<a href="https://shop.example.com/saddle" target="_blank" rel="noopener noreferrer nofollow ugc">https://shop.example.com/saddle</a>.',
    );
    expect(await read(id)).toMatchObject({ unreadCount: 1, agentReadSeq: 0 });
    expect(page.text).toContain('Mark as read');
    // The script handles the forms with data-live, and would not send the number of the message.
    expect(page.text).toMatch(/\/read" class="automatic">/);
    expectRedirect(await post(id, 'read', { seq: '1' }), `${pathOf(id, shop.orgId)}#end`);
    expect(await read(id)).toMatchObject({ unreadCount: 0, agentReadSeq: 1 });
    expect((await inbox.get(pathOf(id, shop.orgId))).text).not.toContain('Mark as read');
    const answer = await post(id, 'messages', { text: 'It fits.', kind: 'reply', echoId: 'one' });
    expectRedirect(answer, `${pathOf(id, shop.orgId, '&done=sent')}#end`);
    expect((await visitor.read()).data.map(({ text }) => text)).toEqual([
      'See https://shop.example.com/saddle.',
      'It fits.',
    ]);
    expectPage(await inbox.get(pathOf(id, shop.orgId, '&done=sent')), 200, /Message sent\..*It fits\./);
  });

  test('shows that no website has signed the name of a visitor, in the list and beside the name', async () => {
    const { visitor, id } = await begin('Send me the invoices.');
    await visitor.send('POST', '/v1/widget/messages', {
      text: 'It is me.',
      echoId: 'me',
      name: 'The managing director',
    });
    const page = await inbox.get(pathOf(id, shop.orgId));
    const tagged = '<bdi>The managing director</bdi> <span class="badge">not verified</span>';
    expect(page.text).toContain(`<h1 id="customer">${tagged}`);
    expect(page.text).toContain(
      '<bdi class="name">The managing director</bdi> <span class="badge">not verified</span>',
    );
  });

  test('fills the text of an answer with a saved reply by a link', async () => {
    const body = { name: `Hours ${crypto.randomUUID()}`, text: 'From 9 to 18 <o’clock>.' };
    const { replyId } = await shop.call('connect.replies.create', { body });
    const { id } = await begin('When are you open?');
    const path = pathOf(id, shop.orgId, `&reply=${replyId}`);
    const page = await inbox.get(pathOf(id, shop.orgId));
    expect(page.text).toContain(`href="${path}#composer"`);
    expect(wordsOf(page)).toContain(body.name);
    expect(wordsOf(page)).not.toContain('Change saved replies');
    const filled = await inbox.get(path);
    expect(decodeEntities(filled.text)).toMatch(/<textarea[^>]*>\nFrom 9 to 18 <o’clock>\.<\/textarea>/);
    expect(filled.text).toContain('value="reply" checked');
    expect((await inbox.get(pathOf(id, shop.orgId, '&reply=rpl_none'))).status).toBe(200);
  });

  test('adds what was sent twice once', async () => {
    const { id } = await begin('Twice?');
    for (let time = 0; time < 2; time += 1)
      await post(id, 'messages', { text: 'Once.', kind: 'reply', echoId: 'same' });
    expect(await messagesOf(id)).toHaveLength(2);
  });

  test('adds notes that the visitor does not see', async () => {
    const { visitor, id } = await begin('A secret?');
    await post(id, 'messages', { text: 'Known to be rude.', kind: 'note', echoId: 'note' });
    expect(await messagesOf(id)).toMatchObject([{ type: 'message' }, { type: 'note', text: 'Known to be rude.' }]);
    expect((await visitor.read()).data).toHaveLength(1);
    expectPage(await inbox.get(pathOf(id, shop.orgId)), 200, /You , internal note .* Known to be rude\./);
  });

  test('refuses an empty message, and keeps what was chosen', async () => {
    const { id } = await begin('Nothing?');
    const page = await post(id, 'messages', { text: ' ', kind: 'note', echoId: 'empty' });
    expectPage(page, 400, /Write a message\./);
    expect(page.text).toContain('value="note" checked');
    expect(await messagesOf(id)).toHaveLength(1);
  });

  test('assigns, closes and reopens', async () => {
    const { id } = await begin('Whose?');
    expectRedirect(
      await post(id, 'change', { assigneeId: agent.userId }),
      `${pathOf(id, shop.orgId, '&done=changed')}#end`,
    );
    expect(await read(id)).toMatchObject({ assigneeId: agent.userId, status: 'open' });
    await post(id, 'change', { status: 'closed' });
    expect(await read(id)).toMatchObject({ status: 'closed' });
    expectPage(
      await inbox.get(pathOf(id, shop.orgId)),
      200,
      /This conversation is closed\..*Reopen|Reopen.*This conversation is closed\./,
    );
    await post(id, 'change', { status: 'open' });
    await post(id, 'change', { assigneeId: 'none' });
    expect(await read(id)).toMatchObject({ assigneeId: null, status: 'open' });
    expectPage(await post(id, 'change', { assigneeId: 'usr_stranger' }), 400, /Must be an agent of the organization/);
    expectPage(await post(id, 'change', { status: 'lost' }), 400);
    expect(await read(id)).toMatchObject({ assigneeId: null, status: 'open' });
  });

  test('shows the story of a customer beside the conversation', async () => {
    const { secret } = await shop.call('connect.sites.create-secret', { path: { siteId: shop.siteId } });
    const user = { id: `C-${crypto.randomUUID()}`, name: 'Jean Bartik', email: 'jean@example.com' };
    const actor = { type: 'customer' as const, id: user.id };
    await shop.call('context.events.create', {
      body: {
        schemaVersion: '1.0',
        tenantId: shop.orgId,
        eventId: crypto.randomUUID(),
        eventName: 'order.created',
        occurredAt: new Date().toISOString(),
        actor,
        source: { system: 'shop', channel: 'web' },
        payload: { orderId: 'A-1001', customerId: user.id, total: { amount: '129.90', currency: 'EUR' } },
      },
    });
    const { id } = await begin('Where is my order?', signedBy(secret, user));
    const { summary } = await shop.call('context.story.read', { path: { customerId: user.id }, query: {} });
    const page = await inbox.get(pathOf(id, shop.orgId));
    expect(wordsOf(page)).toContain(`${summary} Read the story`);
    expect(page.text).toContain(`/customers/${user.id}"`);
    expectPage(page, 200, /Jean Bartik/);
    expect(page.text).not.toMatch(/Jean Bartik<\/bdi> <span/);
  });

  test('shows what a customer wrote on other websites beside the conversation', async () => {
    const other = await newShop();
    const colleague = await newBrowser((await newAgent(other)).sessionToken);
    const body = { name: 'Outlet', allowedOrigins: [shopOrigin] };
    const { siteId } = await other.call('connect.sites.create', { body });
    const user = { id: `C-${crypto.randomUUID()}` };
    const conversations: string[] = [];
    for (const [of, text] of [[other.siteId, 'Do you ship?'] as const, [siteId, 'And when?'] as const]) {
      const { secret } = await other.call('connect.sites.create-secret', { path: { siteId: of } });
      const visitor = await newVisitor(other, { siteId: of, ...signedBy(secret, user) });
      conversations.push((await visitor.say(text)).conversationId);
    }
    const [earlier = '', id = ''] = conversations;
    const page = await colleague.get(pathOf(id, other.orgId));
    expect(wordsOf(page)).toMatch(/Earlier Do you ship\? Open/);
    expect(page.text.split(`/inbox/${earlier}#end`)).toHaveLength(3);
  });

  test('of a member who is no agent says how to become one', async () => {
    const member = await newMember(shop);
    const page = await (await newBrowser(member.sessionToken)).get(listPath(shop.orgId));
    expectPage(page, 200, /You are not an agent of this organization .*Ask an owner/);
  });

  test('makes an owner an agent by one button, when a seat is free', async () => {
    const own = await newShop({ plan: 'free' });
    const [first, second] = await Promise.all([newMember(own, 'owner'), newMember(own, 'owner')]);
    const [browser, late] = [await newBrowser(first.sessionToken), await newBrowser(second.sessionToken)];
    const path = listPath(own.orgId);
    expectPage(await browser.get(path), 200, /An agent takes a seat of your plan\. Become an agent Manage agents/);
    const stale = await browser.post(`${path}/join`, { flow: 'wrong' });
    expectPage(stale, 400, /open for too long.*You are not an agent/);
    const flow = flowOf(await late.get(path));
    expectRedirect(await browser.postFrom(path, `${path}/join`, {}), path);
    expectPage(await browser.get(path), 200, /Inbox \/ Open Pending Closed All/);
    expectPage(await late.post(`${path}/join`, { flow }), 402, /You are not an agent of this organization/);
    const { data } = await own.call('connect.agents.list', { query: {} });
    expect(data.map(({ userId }) => userId)).toEqual([first.userId]);
  });

  test('makes no agent of a member who may not add agents', async () => {
    const own = await newShop();
    const member = await newMember(own);
    const browser = await newBrowser(member.sessionToken);
    const flow = flowOf(await browser.get('/account'));
    const answer = await browser.post(`${listPath(own.orgId)}/join`, { flow });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(await own.call('connect.agents.list', { query: {} })).toMatchObject({ data: [] });
  });

  test('of another organization is not found, and a stale form changes nothing', async () => {
    const { id } = await begin('Mine.');
    const stranger = await newBrowser((await newUserClient()).sessionToken);
    expectPage(await stranger.get(pathOf(id, shop.orgId)), 404);
    const other = await newShop();
    const theirs = await newBrowser((await newAgent(other)).sessionToken);
    expectPage(await theirs.get(pathOf(id, other.orgId)), 404);
    const fields = { text: 'Forged', kind: 'reply', flow: 'wrong' };
    expectPage(
      await inbox.post(`${pathOf(id, shop.orgId)}/messages?orgId=${shop.orgId}`, fields),
      400,
      /open for too long/,
    );
    expect(await messagesOf(id)).toHaveLength(1);
  });
});

describe('the page of websites, without scripts', () => {
  const path = (orgId: string, more = '') => `/console/${slugOf(orgId)}/websites${more.replace('&', '?')}`;

  async function newOwner(): Promise<{ own: Client & { siteId: string }; browser: Browser; userId: string }> {
    const own = await newShop();
    const owner = await newUserClient({ orgId: own.orgId });
    return { own, browser: await newBrowser(owner.sessionToken), userId: owner.userId };
  }

  const submit = (
    { own, browser }: Awaited<ReturnType<typeof newOwner>>,
    form: string,
    fields: Record<string, string>,
  ) => browser.postFrom(path(own.orgId), `${path(own.orgId)}/${form}`, { siteId: own.siteId, ...fields });

  test('shows the two lines to paste, and saves settings', async () => {
    const owner = await newOwner();
    const { own, browser } = owner;
    const page = await browser.get(path(own.orgId));
    expectPage(page, 200, /Install the widget/);
    expect(decodeEntities(page.text)).toContain(
      `<script type="module">ConnectWidget.init({ tenantId: '${own.orgId}', siteId: '${own.siteId}' })</script>`,
    );
    const typed = {
      name: 'Räder',
      allowedOrigins: `${shopOrigin}/\r\nhttps://*.example.org`,
      greeting: 'Hallo',
      colour: '#aa0000',
    };
    expectRedirect(
      await submit(owner, 'site', { ...typed, logoUrl: '' }),
      path(own.orgId, `&siteId=${own.siteId}&done=saved`),
    );
    expect(await own.call('connect.settings.read', {})).toMatchObject({
      ...typed,
      allowedOrigins: [shopOrigin, 'https://*.example.org'],
      logoUrl: null,
      enabled: false,
    });
  });

  test('shows again what was refused, and changes nothing', async () => {
    const owner = await newOwner();
    const typed = {
      name: 'Other',
      allowedOrigins: 'shop.example',
      greeting: '',
      colour: '#aa0000',
      logoUrl: 'ftp://x',
    };
    const page = await submit(owner, 'site', typed);
    expectPage(page, 400, /Must be an origin such as.*Must be an https URL/);
    expect(page.text).toContain('value="ftp://x"');
    expect(await owner.own.call('connect.settings.read', {})).toMatchObject({
      allowedOrigins: [shopOrigin],
      logoUrl: null,
    });
  });

  test('shows a secret once', async () => {
    const owner = await newOwner();
    const made = await submit(owner, 'secret', {});
    expectPage(made, 200, /This is the only time we show the secret\. .*wsec_/);
    const later = await owner.browser.get(path(owner.own.orgId));
    expectPage(later, 200, /This website has a secret/);
    expect(later.text).not.toContain('wsec_');
  });

  test('adds and removes agents, and names the seats', async () => {
    const owner = await newOwner();
    const { own, browser, userId } = owner;
    expectRedirect(
      await submit(owner, 'agents', { userId, displayName: 'Grace' }),
      `${path(own.orgId, `&siteId=${own.siteId}&done=agent-added`)}#agents`,
    );
    expectPage(await browser.get(path(own.orgId)), 200, /1 of 100 seats are taken\. Grace/);
    await submit(owner, 'agents/remove', { userId });
    expectPage(await browser.get(path(own.orgId)), 200, /There are no agents yet/);
    expectPage(
      await submit(owner, 'agents', { userId: 'usr_x', displayName: '' }),
      400,
      /Must be a member of the organization/,
    );
  });

  test('adds, changes and removes saved replies', async () => {
    const owner = await newOwner();
    const { own, browser } = owner;
    const done = (what: string) => `${path(own.orgId, `&siteId=${own.siteId}&done=${what}`)}#replies`;
    expectPage(await browser.get(path(own.orgId)), 200, /There are no saved replies yet/);
    const typed = { replyName: 'Hours', replyText: 'From 9 to 18.' };
    expectRedirect(await submit(owner, 'replies', typed), done('reply-saved'));
    expectPage(await browser.get(path(own.orgId, '&done=reply-saved')), 200, /Reply saved\..*Hours From 9 to 18\./);
    const taken = await submit(owner, 'replies', { replyName: 'HOURS', replyText: 'a' });
    expectPage(taken, 409, /Another saved reply has this name\./);
    expect(taken.text).toContain('value="HOURS"');
    expectPage(await submit(owner, 'replies', { replyName: '', replyText: '' }), 400, /Required\..*Required\./);
    const { replyId } = (await own.call('connect.replies.list', { query: {} })).data[0]!;
    const chosen = await browser.get(path(own.orgId, `&siteId=${own.siteId}&replyId=${replyId}`));
    expectPage(chosen, 200, /Save “Hours”/);
    expect(chosen.text).toContain('value="Hours"');
    await submit(owner, 'replies', { ...typed, replyId, replyText: 'From 10.' });
    expect((await own.call('connect.replies.list', { query: {} })).data).toMatchObject([
      { replyId, name: 'Hours', text: 'From 10.' },
    ]);
    const looking = await newBrowser((await newMember(own)).sessionToken);
    const seen = await looking.get(path(own.orgId));
    expectPage(seen, 200, /Hours From 10\./);
    expect(seen.text).not.toContain('replies/remove');
    const flow = flowOf(await looking.get('/account'));
    const forged = await looking.post(`${path(own.orgId)}/replies/remove`, { siteId: own.siteId, replyId, flow });
    expect(forged.status).toBeGreaterThanOrEqual(400);
    expectRedirect(await submit(owner, 'replies/remove', { replyId }), done('reply-removed'));
    expect((await own.call('connect.replies.list', { query: {} })).data).toEqual([]);
  });

  test('adds a website, and lets members look only', async () => {
    const owner = await newOwner();
    const { own, browser } = owner;
    const added = await submit(owner, 'new', { newName: 'Second' });
    expect(added.status).toBe(303);
    expectPage(await browser.get(added.headers.location!), 200, /Website added\..*Second/);
    expectPage(await submit(owner, 'new', { newName: '' }), 400, /Required\./);
    const member = await newMember(own);
    const looking = await newBrowser(member.sessionToken);
    const page = await looking.get(path(own.orgId));
    expectPage(page, 200, /You can view these settings but not change them/);
    expect(page.text).not.toContain('name="flow"');
    const flow = flowOf(await looking.get('/account'));
    const forged = { siteId: own.siteId, newName: 'Mine', flow };
    expect((await looking.post(`${path(own.orgId)}/new`, forged)).status).toBeGreaterThanOrEqual(400);
  });
});
