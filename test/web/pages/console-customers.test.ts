import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Event, eventAbout, eventOf } from '../../support/events.ts';
import { expectPage, expectRedirect, flowOf, newVisitor, type Visitor, wordsOf } from '../../support/pages.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, slugOf, withDatabase } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';
import { decodeEntities } from '../../support/user-agent.ts';
import { newUserClient } from '../../support/user-client.ts';

type Tenant = Awaited<ReturnType<typeof newTenantClient>>;

const hanna = 'C/10 42?x=1#y';
const markup = '<b>Bobby</b>';
const arabic = 'محمد العربي';

let tenant: Tenant;
let owner: Visitor;
let member: Visitor;

beforeAll(async () => {
  tenant = await newTenantClient();
  owner = await newVisitor((await newUserClient({ orgId: tenant.orgId })).sessionToken);
  member = await newVisitor((await newUserClient({ orgId: tenant.orgId, role: 'member' })).sessionToken);
});

const consoleOf = (orgId: string, path: string) => `/console/${slugOf(orgId)}/${path}`;
const at = (path: string) => consoleOf(tenant.orgId, path);
const storyOf = (customerId: string, more = '') => at(`customers/${encodeURIComponent(customerId)}${more}`);

async function send(event: Event): Promise<Event> {
  const { status, text } = await tenant.send('POST', '/events', event);
  expect({ status, text }).toMatchObject({ status: 201 });
  return event;
}

const about = (customerId: string, changes: Partial<Event> = {}) => send(eventAbout(tenant.orgId, customerId, changes));

const named = (customerId: string, name: string) =>
  about(customerId, { eventName: 'user.registered', payload: { name, email: `${randomUUID()}@example.com` } });

/** What a page says, with plain spaces. */
const said = (answer: { text: string }) => wordsOf(answer).replaceAll('\u00a0', ' ');

/** Reads a page until it shows these words: customers enter their list in the background. */
function shows(path: string, words: RegExp) {
  return eventually(async () => {
    const page = await owner.get(path);
    if (!words.test(said(page))) throw new Error(`${words} is not in: ${said(page)}`);
    return page;
  });
}

describe('the customers of an organization', () => {
  test('are shown how to begin, with a request that works', async () => {
    const other = await newTenantClient();
    const { sessionToken } = await newUserClient({ orgId: other.orgId });
    const page = await (await newVisitor(sessionToken)).get(consoleOf(other.orgId, 'customers'));
    expectPage(page, 200, /No customers yet/);
    const [, json] = /-d '(\{.*?\n\})'/s.exec(decodeEntities(page.text))!;
    const event = JSON.parse(json!) as Event;
    expect(event.tenantId).toBe(other.orgId);
    expect((await other.send('POST', '/events', event)).body).toMatchObject({ customerId: 'C-1042', understood: true });
  });

  test('begin with an event that a member sends from the page, once, with the rights of their role', async () => {
    const other = await newTenantClient();
    const { sessionToken } = await newUserClient({ orgId: other.orgId });
    const visitor = await newVisitor(sessionToken);
    const events = consoleOf(other.orgId, 'events');
    const page = await visitor.get(consoleOf(other.orgId, 'customers'));
    expect(page.text).toContain(`action="${events}/sample"`);
    const [, eventId] = /name="eventId" value="([^"]*)"/.exec(page.text)!;
    const form = { flow: flowOf(page), eventId: eventId! };
    const sending = (changes: Partial<typeof form>) => visitor.post(`${events}/sample`, { ...form, ...changes });
    expectPage(await sending({ flow: '' }), 400);
    expectPage(await sending({ eventId: 'no-uuid' }), 400, /UUID/);
    const beginner = await newVisitor((await newUserClient({ orgId: other.orgId, role: 'member' })).sessionToken);
    const seen = await beginner.get(events);
    expectPage(seen, 200, /No events yet/);
    expect(seen.text).not.toContain(`action="${events}/sample"`);
    const story = consoleOf(other.orgId, 'customers/C-1042?done=sent');
    expectRedirect(await sending({}), story);
    expectRedirect(await sending({}), story);
    expectPage(await visitor.get(story), 200, /Event accepted\. .*Ada Lovelace .*Order created/);
    const stored = await other.call('context.events.list', { query: {} });
    expect(stored.data.map((event) => event.eventId)).toEqual([eventId]);
    expect((await beginner.post(`${events}/sample`, form)).status).toBe(400);
  });

  test('are listed with what is open, and found by the beginning of their name and by their id', async () => {
    await named(hanna, 'Hanna Brandt');
    await about(hanna, { eventName: 'order.created', payload: { orderId: 'A-1', total: 10, currency: 'EUR' } });
    await named('C-markup', markup);
    await named('C-arabic', arabic);
    await named('C-long', 'Long name '.repeat(30));
    const page = await shows(at('customers'), /(?=.*Hanna Brandt .*1 order .*2)(?=.*Long name)(?=.*محمد)/);
    expectPage(page, 200);
    expect(page.text).toContain(`href="${storyOf(hanna)}"`);
    expect(page.text).not.toContain(markup);
    expect(page.text).toContain(`<bdi>${arabic}</bdi>`);
    for (const q of ['hann', hanna]) {
      const found = await owner.get(`${at('customers')}?${new URLSearchParams({ q })}`);
      expectPage(found, 200, /Hanna Brandt/);
      expect(found.text).not.toContain(arabic);
    }
    expectPage(await owner.get(at('customers?q=%3Cb%3Enobody')), 200, /No customer has “ <b>nobody ”/);
  });

  test('are listed without the columns that the address hides, which a search and the next page keep', async () => {
    for (let count = 0; count < 51; count += 1) await named(`C-page-${count}`, `Paula ${count}`);
    const hidden = at('customers?hide=story.last');
    expectRedirect(await owner.get(`${at('customers')}?columns=story.events.last&column=events`), hidden);
    const first = await eventually(async () => {
      const page = await owner.get(at('customers?q=paula&hide=story.last'));
      expect(page.text).toContain('rel="next"');
      return page;
    });
    expectPage(first, 200, /Customer Open Events P\d Paula/);
    expect(first.text).toContain('<input type="hidden" name="hide" value="story.last">');
    const [, next] = /href="([^"]*)" rel="next"/.exec(first.text)!;
    const second = await owner.get(decodeEntities(next!));
    expectPage(second, 200, /Customer Open Events P\d Paula/);
    expect(decodeEntities(second.text)).toContain(`href="${at('customers?q=paula&hide=story.last')}"`);
    expect(decodeEntities(second.text)).toMatch(/href="[^"]*q=paula&format=csv"/);
  });

  test.each([
    ['a cursor of nobody', 'cursor=abc', /The cursor is not one this list returned/],
    ['a line break in the search', 'q=a%0Ab', /control characters|line/i],
  ])('are not listed by %s', async (_what, query, words) => {
    expectPage(await owner.get(at(`customers?${query}`)), 400, words);
  });

  test('are nobody’s but the members’', async () => {
    const stranger = await newVisitor((await newUserClient()).sessionToken);
    for (const path of ['customers', 'customers/C-1', 'events', 'events/refused'])
      expect((await stranger.get(at(path))).status).toBe(404);
  });
});

describe('the story of a customer', () => {
  test('is a text to read, with facts and events, the newest first', async () => {
    const id = `C-${randomUUID()}`;
    const day = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString();
    const paid = { paymentId: 'P-1', amount: 10, currency: 'EUR', big: 1, note: '<i>now</i>' };
    await about(id, {
      occurredAt: day(40),
      payload: { orderId: 'A-1', total: 10, currency: 'EUR', customer: { name: 'Ada Moreau' } },
    });
    await about(id, { eventName: 'payment.succeeded', occurredAt: day(1), payload: paid });
    const page = await shows(storyOf(id), /Composed from 2 events/);
    expectPage(page, 200, /Ada Moreau, customer since .*Open orders 1 .*Yesterday Payment succeeded .*Order created/);
    expect(page.text).toMatch(/<article class="story".*<p dir="ltr">Ada Moreau .*<p dir="ltr">That day they placed /s);
    expect(decodeEntities(page.text)).toContain('"note": "<i>now</i>"');
    expect(page.text).not.toContain('<i>now');
  });

  test('is in the language of the page, with the request for it', async () => {
    const id = `C-${randomUUID()}`;
    const payload = { orderId: 'A-1', total: 1299, currency: 'EUR', customer: { name: 'Greta Weiß' } };
    await about(id, { occurredAt: '2026-03-03T10:00:00.000Z', payload });
    await shows(storyOf(id), /Composed from 1 event/);
    const german = { 'accept-language': 'de' };
    const page = await owner.get(storyOf(id), german);
    expectPage(page, 200, /Greta Weiß, Neukunde seit März 2026, 1 offene Bestellung/);
    expect(page.text).toContain('<p dir="ltr">Greta Weiß wurde am 3.\u00a0März\u00a02026 Kunde.</p>');
    expect(page.text).toContain('<p dir="ltr">An diesem Tag ging 1 Bestellung (A-1) über 1.299,00\u00a0EUR ein.</p>');
    expect(decodeEntities(page.text)).toContain(`/v1/story/customers/${id}?language=de`);
    const list = await owner.get(at(`customers?q=${id}`), german);
    expectPage(list, 200, /Greta Weiß, Neukunde seit März 2026, 1 offene Bestellung/);
    expect(said(await owner.get(storyOf(id)))).not.toContain('language=');
  });

  test('names the events in German by what they mean', async () => {
    const id = `C-${randomUUID()}`;
    await about(id, { occurredAt: '2026-03-03T10:00:00.000Z', payload: { orderId: 'A-1' } });
    await about(id, { eventName: 'wishlist.item_added' });
    await about(id, { eventName: 'order.status_changed', payload: { orderId: 'A-1', status: 'shipped' } });
    const events = said(await owner.get(storyOf(id), { 'accept-language': 'de' }));
    expect(events).toMatch(/Bestellung versandt order\.status_changed .*Wishlist item added wishlist\.item_added /);
    expect(events).toContain('Bestellung eingegangen order.created von ');
  });

  test('is not found for somebody without one, and for a customer of another organization', async () => {
    expectPage(await owner.get(storyOf('C-nobody')), 404, /Not found/);
    const other = await newTenantClient();
    await other.send('POST', '/events', eventAbout(other.orgId, 'C-theirs'));
    expectPage(await owner.get(storyOf('C-theirs')), 404, /Not found/);
    expectPage(await owner.get(storyOf('C-theirs', '/erase')), 404, /Not found/);
  });

  test('goes on to older events by cursor', async () => {
    const id = `C-${randomUUID()}`;
    const events = Array.from({ length: 21 }, () => eventAbout(tenant.orgId, id, { eventName: 'page.viewed' }));
    await tenant.send('POST', '/events/batch', { events });
    const page = await owner.get(storyOf(id));
    const [, older] = /href="([^"]*)" rel="next">Older events/.exec(page.text)!;
    const second = await owner.get(decodeEntities(older!));
    expect(second.text.match(/<summary>Payload/g)).toHaveLength(1);
    expectPage(second, 200, /First page/);
  });
});

describe('the erasure of a customer', () => {
  test('needs the id to be typed, and then leaves nothing', async () => {
    const id = `C ${randomUUID()} é`;
    await about(id);
    const path = storyOf(id, '/erase');
    for (const typed of ['', 'C-1', id.toUpperCase()]) {
      const refused = await owner.postFrom(path, path, { customerId: typed });
      expectPage(refused, 400, /This is not the id/);
      expect(refused.text).toContain(typed === '' ? 'name="customerId"' : `value="${typed}"`);
    }
    expect((await owner.get(storyOf(id))).status).toBe(200);
    const done = await owner.postFrom(path, path, { customerId: id });
    expectRedirect(done, at('customers?done=erased'));
    expectPage(await owner.get(at('customers?done=erased')), 200, /Customer erased/);
    expect((await owner.get(storyOf(id))).status).toBe(404);
  });

  test('that a service has not completed is shown to its organization, with what is left', async () => {
    const begun = { identifiers: ['email:ada@example.com'], dueAt: new Date(Date.now() + 3_600_000) };
    const store = async (erasedAt: Date, done: string[]) =>
      withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
        database
          .collection<{ _id: string }>('context_customer_erasures')
          .insertOne({ _id: randomUUID(), orgId: tenant.orgId, erasedAt, done, ...begun } as { _id: string }),
      );
    await store(new Date(), []);
    expect(wordsOf(await owner.get(at('customers')))).not.toContain('erasure');
    await store(new Date(Date.now() - 5.5 * 60_000), ['identity', 'mail', 'notification']);
    expectPage(
      await owner.get(at('customers')),
      200,
      /1 erasure is not complete, begun 5 min ago \. Still to erase in: connect\. The platform tries again every minute/,
    );
    const other = await newTenantClient();
    const stranger = await newVisitor((await newUserClient({ orgId: other.orgId })).sessionToken);
    expect(wordsOf(await stranger.get(`/console/${slugOf(other.orgId)}/customers`))).not.toContain('erasure');
  });

  test('is refused to a member without the permission, and for a stale form', async () => {
    const id = `C-${randomUUID()}`;
    await about(id);
    expect((await member.get(storyOf(id))).text).not.toContain('/erase"');
    expectPage(await member.get(storyOf(id, '/erase')), 403, /lacks context\.events\.write/);
    const path = storyOf(id, '/erase');
    const flow = flowOf(await owner.get(path));
    expect((await member.post(path, { flow, customerId: id })).status).not.toBe(303);
    expectPage(await owner.post(path, { flow: 'none', customerId: id }), 400);
    expect((await owner.get(storyOf(id))).status).toBe(200);
  });
});

describe('the merge of two customers', () => {
  /** Two records of one person, of whom the first has the earlier event. */
  async function newPair(): Promise<{ older: string; younger: string; surname: string }> {
    const surname = `Duo${randomUUID().slice(0, 8)}`;
    const [older, younger] = [`C ${randomUUID()}/é`, `C-${randomUUID()}`];
    const payload = (name: string) => ({ name: `${name} ${surname}`, email: `${randomUUID()}@example.com` });
    const registered = { eventName: 'user.registered' };
    await about(older, { ...registered, occurredAt: '2026-03-01T10:00:00.000Z', payload: payload('Ada') });
    await about(younger, { ...registered, occurredAt: '2026-03-02T10:00:00.000Z', payload: payload('A.') });
    for (const id of [older, younger]) await shows(storyOf(id), /Composed from 1 event/);
    return { older, younger, surname };
  }

  const mergeOf = (one: string, other: string) => storyOf(one, `/merge/${encodeURIComponent(other)}`);

  test('goes by a search and a question to the story of both', async () => {
    const { older, younger, surname } = await newPair();
    const story = await owner.get(storyOf(younger));
    const find = storyOf(younger, '/merge');
    expect(story.text).toContain(`href="${find}"`);
    expectPage(await owner.get(find), 200, /Merge with another customer .*You see both before anything changes/);
    const search = (q: string) => owner.get(`${find}?${new URLSearchParams({ q })}`);
    const named = await search(`Ada ${surname}`);
    expectPage(named, 200, /Customers found .*Ada Duo/);
    expect(named.text).toContain(`href="${mergeOf(younger, older)}"`);
    expect((await search(older)).text).toContain(mergeOf(younger, older));
    const self = await search(younger);
    expectPage(self, 200, /No other customer has “ C-/);
    expect(self.text).not.toContain(mergeOf(younger, younger));

    const path = mergeOf(younger, older);
    const question = await owner.get(path);
    const words = new RegExp(`They become one customer with the ID ${older} and one story .*cannot be undone`);
    expectPage(question, 200, words);
    expect(said(question)).toMatch(/A\. Duo\S+ ID C-.* Ada Duo\S+ Keeps the ID ID C /);
    const done = await owner.postFrom(path, path, {});
    expectRedirect(done, `${storyOf(older)}?done=merged`);
    expectPage(await owner.get(`${storyOf(older)}?done=merged`), 200, /Customers merged\. .*Composed from 2 events/);
    expectPage(await owner.get(storyOf(younger)), 200, /Composed from 2 events/);
    expectRedirect(await owner.get(path), `${storyOf(older)}?done=same`);
    expectPage(await owner.get(`${storyOf(older)}?done=same`), 200, /Both IDs are of this customer already/);
  });

  test('is asked in German, and shown in the log in words', async () => {
    const { older, younger } = await newPair();
    const german = { 'accept-language': 'de' };
    expectPage(await owner.get(storyOf(younger, '/merge'), german), 200, /Mit einem anderen Kunden zusammenführen/);
    const path = mergeOf(older, younger);
    const words = new RegExp(`Sie werden ein Kunde mit der ID ${older} .*Kunden zusammenführen`);
    expectPage(await owner.get(path, german), 200, words);
    await owner.postFrom(path, path, {});
    expectPage(await owner.get(at('logs?action=customer.merged'), german), 200, /zwei Kunden zusammengeführt/);
    expectPage(await owner.get(at('logs?action=customer.merged')), 200, /merged two customers/);
  });

  test('is refused to a member without the permission, for a stale form and for a customer of nobody', async () => {
    const { older, younger } = await newPair();
    const path = mergeOf(older, younger);
    expect((await member.get(storyOf(older))).text).not.toContain('/merge"');
    for (const page of [storyOf(older, '/merge?q=Ada'), path])
      expectPage(await member.get(page), 403, /lacks context\.events\.write/);
    expect((await member.get(path)).text).not.toContain('<form method="post" action="/console');
    const flow = flowOf(await owner.get(path));
    expect((await member.post(path, { flow })).status).not.toBe(303);
    expectPage(await owner.post(path, { flow: 'none' }), 400);
    const other = await newTenantClient();
    await other.send('POST', '/events', eventAbout(other.orgId, 'C-theirs'));
    for (const id of ['C-theirs', 'C-nobody']) {
      expectPage(await owner.get(mergeOf(older, id)), 404, /Not found/);
      expectPage(await owner.get(mergeOf(id, older)), 404, /Not found/);
      expect((await owner.post(mergeOf(older, id), { flow })).status).toBe(404);
    }
    expectPage(await owner.get(storyOf(older, '/merge?q=a%0Ab')), 400, /control characters|line/i);
    for (const id of [older, younger]) expectPage(await owner.get(storyOf(id)), 200, /Composed from 1 event/);
  });
});

describe('the events of an organization', () => {
  test('are listed as they arrive, and filtered by the address', async () => {
    const id = `C-${randomUUID()}`;
    const understood = await about(id, { source: { system: 'till<1>', channel: 'web' } });
    const unknown = await about(id, { eventName: 'order.creatd' });
    const nobody = await send(eventOf(tenant.orgId, { actor: { type: 'system', id: 'erp' }, payload: {} }));
    const page = await owner.get(at('events'));
    expectPage(page, 200, /(?=.* No customer shop)(?=.*order\.creatd .*Name unknown)(?=.* Understood C-)/);
    for (const { eventId } of [understood, unknown, nobody]) expect(page.text).toContain(at(`events/${eventId}`));
    expect(page.headers['content-security-policy']).toContain("connect-src 'self'");
    const listed = async (query: Record<string, string>) => {
      const { text } = await owner.get(`${at('events')}?${new URLSearchParams(query)}`);
      return [understood, unknown, nobody].map(({ eventId }) => text.includes(eventId));
    };
    expect(await listed({ eventName: 'order.creatd' })).toEqual([false, true, false]);
    expect(await listed({ customerId: id, understood: 'true' })).toEqual([true, false, false]);
    expect(await listed({ source: 'till<1>', cursor: '' })).toEqual([true, false, false]);
    expectPage(await owner.get(at('events?eventName=none')), 200, /No event matches these filters/);
    expectPage(await owner.get(at('events?understood=perhaps')), 400, /Understood: Must be true or false/);
  });

  test('are answered alone to the script that replaces them', async () => {
    const { eventId } = await about(`C-${randomUUID()}`);
    const { status, text, headers } = await owner.get(at('events?fragment=list&eventName=order.created'));
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
    expect(text).toMatch(/^<div class="fit"><div><table/);
    expect(text).toContain(eventId);
    expect(text).not.toContain('fragment');
  });

  test('are shown whole', async () => {
    const event = await about('C-whole', { payload: { note: '</pre><script>' } });
    const page = await owner.get(at(`events/${event.eventId}`));
    expectPage(page, 200, /order\.created .*Understood: the story interprets this name/);
    const [, code] = /<pre[^>]*>(.*?)<\/pre>/s.exec(page.text)!;
    expect(JSON.parse(decodeEntities(code!))).toEqual({ ...event, receivedAt: expect.any(String) });
    const other = await newTenantClient();
    const theirs = eventAbout(other.orgId, 'C-1');
    await other.send('POST', '/events', theirs);
    for (const id of [theirs.eventId, randomUUID(), 'x'])
      expect((await owner.get(at(`events/${id}`))).status).toBe(404);
  });

  test('that were refused are shown with the reason and the sender', async () => {
    expectPage(await owner.get(at('events/refused')), 200, /No refused events/);
    const refused = eventAbout(tenant.orgId, 'C-1', { eventName: 'Order', occurredAt: '<b>now</b>' });
    expect((await tenant.send('POST', '/events', refused)).status).toBe(400);
    const page = await shows(at('events/refused'), /eventName/);
    expectPage(page, 200, /No valid name .*INPUT_INVALID eventName .*occurredAt .*Application of a test app_/);
    const german = await owner.get(at('events/refused'), { 'accept-language': 'de' });
    expectPage(
      german,
      200,
      /Einige Angaben fehlen oder sind ungültig\. INPUT_INVALID eventName Muss aus 2 bis 6 durch Punkte getrennten Teilen bestehen.* occurredAt Muss ein Zeitpunkt nach ISO 8601 sein/,
    );
    expectPage(await owner.get(at('events/refused?cursor=x')), 400, /The cursor is not one/);
    expect((await owner.get(at('events/refused?fragment=list'))).text).toMatch(/^<div class="fit"><div><table/);
  });
});
