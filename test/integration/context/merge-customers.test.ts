import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Client, clientOf } from '../../support/client.ts';
import { eventAbout, eventOf, newCustomerId, newEmail } from '../../support/events.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { slugOf } from '../../support/tenants.ts';
import { newUserClient } from '../../support/user-client.ts';

type Owner = Awaited<ReturnType<typeof newUserClient>>;

let own: Client;
let owner: Owner;
beforeAll(async () => {
  own = await newTenantClient({ plan: 'scale' });
  owner = await newUserClient({ orgId: own.orgId });
});

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

const read = (customerId: string, client = own) =>
  client.attempt('context.story.read', { path: { customerId }, query: {} });
const merge = (customerId: string, body: unknown, query: Record<string, unknown> = {}, client = own) =>
  client.attempt('context.story.merge', { path: { customerId }, body, query });

/** Two records of one person: the first has the earlier event, the second the later one and an order. */
async function newPair(client = own) {
  const [older, younger] = [newCustomerId(), newCustomerId()];
  const [olderEmail, youngerEmail] = [newEmail(), newEmail()];
  for (const event of [
    eventAbout(client.orgId, older, {
      eventName: 'customer.registered',
      occurredAt: hoursAgo(2),
      payload: { name: 'Ada Byron', email: olderEmail },
    }),
    eventAbout(client.orgId, younger, {
      occurredAt: hoursAgo(1),
      payload: { orderId: 'A-77', total: 12, currency: 'EUR', email: youngerEmail },
    }),
  ]) {
    await client.call('context.events.create', { body: event });
    expect((await read(event.actor.id, client)).status).toBe(200);
  }
  return { older, younger, olderEmail, youngerEmail };
}

const actsAbout = async (customerId: string) => {
  const { data } = await owner.call('identity.audit.list', {
    path: { slug: slugOf(own.orgId) },
    query: { action: 'customer.merged', targetId: customerId },
  });
  return data;
};

async function keyWith(scopes: string[]): Promise<Client> {
  const { id } = await own.call('identity.me.read', {});
  const { token } = await own.call('identity.api-keys.create', { path: { id }, body: { name: 'Some', scopes } });
  return clientOf({ ...own, apiKey: token });
}

describe('POST /v1/story/customers/:customerId/merge', () => {
  test('answers with the story of both under the older id, to which every identifier leads', async () => {
    const { older, younger, olderEmail, youngerEmail } = await newPair();
    const { status, body } = await merge(younger, { customerId: ` ${older} ` });
    expect({ status, body }).toMatchObject({ status: 200, body: { customerId: older } });
    expect(body.title).toContain('Ada Byron');
    expect(body.summary).toContain('A-77');
    for (const id of [older, younger]) expect((await read(id)).body).toEqual(body);
    for (const q of [olderEmail, youngerEmail])
      expect((await own.call('context.story.resolve', { query: { q } })).customerId).toBe(older);
    const { data } = await own.call('context.story.events', { path: { customerId: younger }, query: {} });
    expect(data.map(({ actor }) => actor.id)).toEqual([older, younger]);
    const listed = await own.call('context.story.customers', { query: { q: younger } });
    expect(listed.data).toMatchObject([{ customerId: older, eventCount: 2 }]);
  });

  test('answers in the language of the request', async () => {
    const { older, younger } = await newPair();
    const { body } = await merge(older, { customerId: younger }, { language: 'de' });
    expect(body.title).toMatch(/^Ada Byron, Neukunde /);
    expect((await read(older)).body.title).toMatch(/^Ada Byron, new customer /);
  });

  test('joins customers who are known by an address alone', async () => {
    const emails = [newEmail(), newEmail()];
    const ids: string[] = [];
    for (const email of emails) {
      const event = eventOf(own.orgId, { actor: { type: 'system', id: 'shop' }, payload: { email } });
      await own.call('context.events.create', { body: event });
      ids.push((await own.call('context.story.resolve', { query: { q: email } })).customerId);
    }
    const { body } = await merge(ids[0]!, { customerId: ids[1] });
    for (const id of ids) expect((await read(id)).body).toEqual(body);
    expect(ids).toContain(body.customerId);
  });

  test('is recorded with both ids and who did it, once', async () => {
    const { older, younger } = await newPair();
    const input = { path: { customerId: younger }, query: {}, body: { customerId: older } };
    await owner.call('context.story.merge', input, { 'x-tenant-id': own.orgId });
    expect(await actsAbout(younger)).toMatchObject([
      {
        actor: { type: 'user', id: owner.userId },
        target: { type: 'customer', id: younger },
        before: null,
        after: { mergedWith: older },
      },
    ]);
    const again = await merge(older, { customerId: younger });
    expect({ status: again.status, body: again.body }).toEqual({ status: 200, body: (await read(older)).body });
    expect([...(await actsAbout(older)), ...(await actsAbout(younger))]).toHaveLength(1);
  });

  test('in both directions at once makes one customer', async () => {
    const { older, younger } = await newPair();
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_one, index) =>
        index % 2 ? merge(older, { customerId: younger }) : merge(younger, { customerId: older }),
      ),
    );
    for (const { status, body } of answers) expect([status, body.customerId]).toEqual([200, older]);
    const { data } = await own.call('context.story.events', { path: { customerId: older }, query: {} });
    expect(data).toHaveLength(2);
  });

  test('while events of both arrive keeps every event', async () => {
    const { older, younger } = await newPair();
    const events = Array.from({ length: 20 }, (_one, index) => eventAbout(own.orgId, index % 2 ? older : younger));
    const [merged] = await Promise.all([
      merge(older, { customerId: younger }),
      ...events.map((body) => own.call('context.events.create', { body })),
    ]);
    expect(merged.status).toBe(200);
    const { data } = await own.call('context.story.events', { path: { customerId: younger }, query: { limit: '100' } });
    expect(data).toHaveLength(22);
    expect((await read(younger)).body).toEqual((await read(older)).body);
  });

  test('is followed by an erasure of the whole person, by either id', async () => {
    const { older, younger, olderEmail, youngerEmail } = await newPair();
    await merge(older, { customerId: younger });
    expect((await own.attempt('context.story.erase', { path: { customerId: younger } })).status).toBe(204);
    for (const q of [older, younger, olderEmail, youngerEmail])
      expect((await own.attempt('context.story.resolve', { query: { q } })).status).toBe(404);
    expect((await merge(older, { customerId: younger })).status).toBe(404);
  });

  test('at the same time as an erasure leaves one whole story, or none', async () => {
    const { older, younger } = await newPair();
    const [merged, erased] = await Promise.all([
      merge(older, { customerId: younger }),
      own.attempt('context.story.erase', { path: { customerId: younger } }),
    ]);
    expect([200, 404]).toContain(merged.status);
    expect(erased.status).toBe(204);
    expect((await read(younger)).status).toBe(404);
    expect([200, 404]).toContain((await read(older)).status);
  });
});

describe('a merge that is refused', () => {
  type Pair = Awaited<ReturnType<typeof newPair>>;
  const inputs: [string, (pair: Pair) => { body?: unknown; query?: Record<string, unknown> }, string][] = [
    ['the same id', ({ older }) => ({ body: { customerId: older } }), 'body.customerId'],
    ['the same id with spaces', ({ older }) => ({ body: { customerId: ` ${older} ` } }), 'body.customerId'],
    ['no id', () => ({ body: {} }), 'body.customerId'],
    ['an empty id', () => ({ body: { customerId: ' ' } }), 'body.customerId'],
    ['a number', () => ({ body: { customerId: 7 } }), 'body.customerId'],
    ['a condition', () => ({ body: { customerId: { $ne: '' } } }), 'body.customerId'],
    ['a control character', () => ({ body: { customerId: 'a\nb' } }), 'body.customerId'],
    ['a long id', () => ({ body: { customerId: 'a'.repeat(257) } }), 'body.customerId'],
    ['an unknown field', ({ younger }) => ({ body: { customerId: younger, force: true } }), 'body.force'],
    [
      'a language that is not ours',
      ({ younger }) => ({ body: { customerId: younger }, query: { language: 'fr' } }),
      'query.language',
    ],
  ];

  let pair: Pair;
  let stories: unknown[];
  const both = async () => [(await read(pair.older)).body, (await read(pair.younger)).body];
  beforeAll(async () => {
    pair = await newPair();
    stories = await both();
  });

  const expectUnchanged = async () => {
    expect(await both()).toEqual(stories);
    expect([...(await actsAbout(pair.older)), ...(await actsAbout(pair.younger))]).toEqual([]);
  };

  test.each(inputs)('for %s is 400 and names the field', async (_what, make, path) => {
    const { body, query } = make(pair);
    const answer = await merge(pair.older, body, query);
    expect(answer).toMatchObject({ status: 400, body: { error: 'INPUT_INVALID', details: [{ path }] } });
    await expectUnchanged();
  });

  test('is 404 for an id without a story, on either side, and for one of another organization', async () => {
    const other = await newTenantClient();
    const theirs = await newPair(other);
    for (const [one, two] of [
      [pair.older, newCustomerId()],
      [newCustomerId(), pair.older],
      [pair.older, theirs.older],
      [theirs.older, pair.older],
    ] as const) {
      const answer = await merge(one, { customerId: two });
      expect(answer).toMatchObject({ status: 404, body: { error: 'STORY_NOT_FOUND' } });
    }
    await expectUnchanged();
    expect((await read(theirs.older, other)).body.customerId).toBe(theirs.older);
  });

  test.each([[['context.story.read']], [['context.events.write']]])('is 403 with %s alone', async (scopes) => {
    const client = await keyWith(scopes);
    for (const customerId of [pair.younger, newCustomerId()]) {
      const answer = await merge(pair.older, { customerId }, {}, client);
      expect(answer).toMatchObject({ status: 403, body: { error: 'PERMISSION_DENIED' } });
    }
    await expectUnchanged();
  });

  test('is 403 for a member whose role may only read', async () => {
    const member = await newUserClient({ orgId: own.orgId, role: 'member' });
    const input = { path: { customerId: pair.older }, body: { customerId: pair.younger } };
    const answer = await member.attempt('context.story.merge', input, { 'x-tenant-id': own.orgId });
    expect(answer.status).toBe(403);
    await expectUnchanged();
  });
});
