import { beforeAll, describe, expect, test } from '@jest/globals';
import { encodeCursor } from '../../../lib/contract/input.ts';
import { newId } from '../../../lib/data/ids.ts';
import { sweepDirectories } from '../../../services/identity/directory/directory.ts';
import { type Client, clientOf } from '../../support/client.ts';
import { newVisitor } from '../../support/pages.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import type { Tenant } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';
import { joinAs, newUserClient, type User } from '../../support/user-client.ts';
import { inDatabase } from './me-stored.ts';
import { sweepNow } from './sweep-now.ts';

type Person = Client & User;
type Query = Record<string, string>;

let tenant: Client & Tenant;
let foreign: Client & Tenant;
let hanna: Person;
let zoe: Person;
let anna: Person;
let stranger: Person;
beforeAll(async () => {
  [tenant, foreign] = await Promise.all([newTenantClient(), newTenantClient()]);
  hanna = await named(tenant, { displayName: 'Hanna Brandt' });
  zoe = await named(tenant, { displayName: 'Zoë Łukasz' });
  anna = await named(tenant, { firstName: 'Anna', lastName: 'Annaberg', displayName: 'Anna A' });
  stranger = await named(foreign, { displayName: 'Hanna Strange' });
  await hanna.call('identity.contacts.create', { body: { type: 'phone', value: '+49 431 5550142' } });
});

async function named({ orgId }: Tenant, profile: Record<string, string>): Promise<Person> {
  const person = await newUserClient({ orgId, role: 'member' });
  expect((await person.send('PATCH', '/identity/me', profile)).status).toBe(200);
  return person;
}

const list = async (query: Query, client: Client = tenant) => client.call('identity.users.list', { query });
const found = async (search: string, client: Client = tenant) =>
  (await list({ search }, client)).data.map(({ id }) => id);

test('the user of the first run is found and listed by last login', async () => {
  const { url, firstRun } = await sharedPlatform();
  const first = clientOf({ url, orgId: firstRun.orgId, apiKey: firstRun.apiKey });
  const isFirst = { email: firstRun.adminEmail };
  expect((await list({ search: firstRun.adminEmail }, first)).data).toMatchObject([isFirst]);
  const { data } = await list({ sort: 'lastLoginAt', limit: '100' }, first);
  expect(data).toContainEqual(expect.objectContaining(isFirst));
});

describe('GET /identity/users?search=', () => {
  test.each<[string, () => string, () => string[]]>([
    ['the id', () => zoe.userId, () => [zoe.userId]],
    ['the login email', () => zoe.email, () => [zoe.userId]],
    ['the login email in capitals', () => zoe.email.toUpperCase(), () => [zoe.userId]],
    ['the beginning of the login email', () => zoe.email.slice(0, 12), () => [zoe.userId]],
    ['the telephone number, written otherwise', () => '+49 (431) 555-0142', () => [hanna.userId]],
    ['the beginning of a name', () => 'han', () => [hanna.userId]],
    ['a later word of a name', () => 'BRA', () => [hanna.userId]],
    ['a name without its accents', () => 'zoe luk', () => [zoe.userId]],
    ['a name with its accents', () => 'ZOË', () => [zoe.userId]],
    ['what several names of one user begin with, once', () => 'ann', () => [anna.userId]],
    ['the end of a name', () => 'randt', () => []],
    ['a part of the telephone number', () => '+49431', () => []],
    ['a pattern', () => '.*', () => []],
    ['marks alone', () => '\u0301', () => []],
    ['the id of nobody', () => newId('usr'), () => []],
    ['the id of a user of another organization', () => stranger.userId, () => []],
    ['the email of a user of another organization', () => stranger.email, () => []],
    ['the name of a user of another organization', () => 'strange', () => []],
  ])('by %s', async (_what, search, expected) => {
    expect(await found(search())).toEqual(expected());
  });

  test('goes in pages, each user once, in the order of the names', async () => {
    const own = await newTenantClient();
    const people: Person[] = [];
    for (const displayName of ['Mia C', 'Mia A', 'Mia B', 'Other', 'Mia A'])
      people.push(await named(own, { displayName }));
    const [c, a, b, , second] = people.map(({ userId }) => userId);
    const ids: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await list({ search: 'mia', limit: '2', ...(cursor && { cursor }) }, own);
      ids.push(...page.data.map(({ id }) => id));
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    expect(ids).toEqual([a, second, b, c]);
  });

  test('knows a changed name, email and membership at once', async () => {
    const own = await newTenantClient();
    const person = await named(own, { displayName: 'Before' });
    await person.send('PATCH', '/identity/me', { displayName: 'After' });
    expect([await found('before', own), await found('after', own)]).toEqual([[], [person.userId]]);
    await joinAs(person, { orgId: foreign.orgId, role: 'member' });
    expect(await found('after', foreign)).toEqual([person.userId]);
    await own.send('DELETE', `/organizations/${own.orgId.replace('_', '-')}/members/${person.userId}`);
    expect(await found('after', own)).toEqual([]);
    expect(await found('after', foreign)).toEqual([person.userId]);
    await foreign.send('DELETE', `/organizations/${foreign.orgId.replace('_', '-')}/members/${person.userId}`);
    await person.send('DELETE', '/identity/me');
    for (const collection of ['identity_directory_keys', 'identity_directory_entries']) {
      const left = () =>
        inDatabase((database) => database.collection(collection).countDocuments({ userId: person.userId }));
      await until(async () => (await left()) === 0);
    }
  });

  test('finds users from before the directory once the sweep has run', async () => {
    const own = await newTenantClient();
    const person = await named(own, { displayName: 'Early Bird' });
    await inDatabase(async (database) => {
      await database.collection('identity_directory_keys').deleteMany({ userId: person.userId });
      await database.collection('identity_directory_entries').deleteMany({ userId: person.userId });
      await database
        .collection<{ _id: string }>('identity_users')
        .updateOne({ _id: person.userId }, { $unset: { directoryForm: 1, lastLoginAt: 1 } });
    });
    expect(await found('early', own)).toEqual([]);
    await sweepNow((ctx) => sweepDirectories(ctx));
    expect(await found('early', own)).toEqual([person.userId]);
    // As of the session that the user has.
    const { data } = await list({ sort: 'lastLoginAt' }, own);
    expect(data.map(({ id, lastLoginAt }) => [id, typeof lastLoginAt])).toContainEqual([person.userId, 'string']);
  });

  test.each<[Query, string, string]>([
    [{ search: '' }, 'INPUT_INVALID', 'query.search'],
    [{ search: ' ' }, 'INPUT_INVALID', 'query.search'],
    [{ search: 'a'.repeat(201) }, 'INPUT_INVALID', 'query.search'],
    [{ search: 'a\u0000' }, 'INPUT_INVALID', 'query.search'],
    [{ search: 'ann', sort: 'lastLoginAt' }, 'INPUT_INVALID', 'query.sort'],
    [{ search: 'ann', order: 'asc' }, 'INPUT_INVALID', 'query.order'],
    [{ sort: 'email' }, 'INPUT_INVALID', 'query.sort'],
    [{ order: 'up' }, 'INPUT_INVALID', 'query.order'],
    [{ search: 'ann', cursor: 'abc' }, 'CURSOR_INVALID', ''],
    [{ sort: 'lastLoginAt', cursor: 'abc' }, 'CURSOR_INVALID', ''],
  ])('refuses %j', async (query, error, path) => {
    const { status, body } = await tenant.attempt('identity.users.list', { query });
    expect({ status, error: body.error, path: body.details?.[0]?.path ?? '' }).toEqual({ status: 400, error, path });
  });

  test('refuses the cursor of another search', async () => {
    const own = await newTenantClient();
    for (const displayName of ['Mia A', 'Mia B']) await named(own, { displayName });
    const { nextCursor } = await list({ search: 'mia', limit: '1' }, own);
    // The second is one that nobody was given: it would begin among the keys of contacts.
    for (const cursor of [nextCursor!, encodeCursor(['mi', '\u0001', ''])]) {
      expect(await own.attempt('identity.users.list', { query: { search: 'mi', cursor } })).toMatchObject({
        status: 400,
        body: { error: 'CURSOR_INVALID' },
      });
    }
  });
});

describe('GET /identity/users?sort=', () => {
  const day = (date: number) => new Date(Date.UTC(2026, 0, date));
  let own: Client & Tenant;
  let ids: string[];
  beforeAll(async () => {
    own = await newTenantClient();
    ids = [];
    for (const lastLoginAt of [day(3), day(1), null, day(2), null]) {
      const { userId } = await newUserClient({ orgId: own.orgId, role: 'member' });
      ids.push(userId);
      if (!lastLoginAt) continue;
      await inDatabase(async (database) => {
        await database
          .collection<{ _id: string }>('identity_users')
          .updateOne({ _id: userId }, { $set: { lastLoginAt } });
        await database.collection('identity_directory_entries').updateOne({ userId }, { $set: { lastLoginAt } });
      });
    }
  });

  async function all(query: Query): Promise<(string | undefined)[]> {
    const places: (string | undefined)[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await list({ ...query, limit: '2', ...(cursor && { cursor }) }, own);
      places.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    // The founder has no part in this.
    return places.filter((id) => id !== undefined && ids.includes(id));
  }

  test.each<[Query, number[]]>([
    [{ sort: 'lastLoginAt' }, [0, 3, 1, 4, 2]],
    [{ sort: 'lastLoginAt', order: 'asc' }, [2, 4, 1, 3, 0]],
    [{ sort: 'createdAt' }, [4, 3, 2, 1, 0]],
    [{ order: 'asc' }, [0, 1, 2, 3, 4]],
  ])('%j', async (query, places) => {
    expect(await all(query)).toEqual(places.map((place) => ids[place]));
  });

  test('a login counts at once', async () => {
    const { email, password, userId } = await newUserClient({ orgId: own.orgId, role: 'member' });
    const visitor = await newVisitor();
    await visitor.postFrom('/self-service/login/browser', '/self-service/login', { email, password });
    const [newest] = (await list({ sort: 'lastLoginAt' }, own)).data;
    expect(newest?.id).toBe(userId);
    expect(newest!.lastLoginAt! > newest!.createdAt).toBe(true);
  });
});
