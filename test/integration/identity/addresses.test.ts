import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { newUserClient, type User } from '../../support/user-client.ts';
import { actsOf, storedUser } from './me-stored.ts';

type Person = Client & User;
let user: Person;
let other: Person;
beforeAll(async () => {
  [user, other] = await Promise.all([newUserClient(), newUserClient()]);
});

const home = {
  type: 'home',
  addressLine: '12 St James’s Square',
  city: 'London',
  state: 'Greater London',
  postalCode: 'SW1Y 4JH',
  country: 'GB',
} as const;

const add = (person: Person, body: object = home) =>
  person.call('identity.addresses.create', { body: { ...home, ...body } });
const listOf = (person: Person) => person.call('identity.addresses.list', { query: {} }).then(({ data }) => data);
const change = (person: Person, addressId: string, body: object) =>
  person.attempt('identity.addresses.update', { path: { addressId }, body });
const remove = (person: Person, addressId: string) =>
  person.attempt('identity.addresses.remove', { path: { addressId } });

describe('POST /identity/me/addresses', () => {
  test('adds an address', async () => {
    const someone = await newUserClient();
    const { status, body } = await someone.attempt('identity.addresses.create', { body: home });
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        addressId: expect.stringMatching(/^adr_/),
        ...home,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    });
    expect(await listOf(someone)).toEqual([body]);
  });

  test('takes two of the same, and knows no state or postal code where there are none', async () => {
    const someone = await newUserClient();
    const plain = { type: 'work', addressLine: 'Main Street 1', city: 'Doha', country: ' qa ' };
    for (let count = 0; count < 2; count += 1) {
      expect(await someone.attempt('identity.addresses.create', { body: plain })).toMatchObject({
        status: 201,
        body: { ...plain, state: '', postalCode: '', country: 'QA' },
      });
    }
    expect(await listOf(someone)).toHaveLength(2);
  });

  test.each<[string, unknown]>([
    ['type', 'garden'],
    ['type', undefined],
    ['type', null],
    ['addressLine', ''],
    ['addressLine', null],
    ['addressLine', undefined],
    ['addressLine', 'x'.repeat(501)],
    ['addressLine', 'x'.repeat(10_000)],
    ['addressLine', 'Main Street\n12'],
    ['addressLine', { $gt: '' }],
    ['city', ' '],
    ['city', undefined],
    ['city', 'x'.repeat(101)],
    ['state', 'x'.repeat(101)],
    ['state', 5],
    ['postalCode', 'x'.repeat(21)],
    ['postalCode', '1\u00002'],
    ['country', 'XX'],
    ['country', 'UK'],
    ['country', 'GBR'],
    ['country', 'Germany'],
    ['country', ''],
    ['country', undefined],
    ['country', ['GB']],
    ['addressId', 'adr_1'],
    ['isPrimary', true],
  ])('refuses %s %j and changes nothing', async (field, value) => {
    const before = await storedUser(user.userId);
    const { status, body } = await user.attempt('identity.addresses.create', { body: { ...home, [field]: value } });
    expect({ status, error: body.error, path: body.details?.[0]?.path }).toEqual({
      status: 400,
      error: 'INPUT_INVALID',
      path: `body.${field}`,
    });
    expect(body.details?.[0]?.message).toMatch(/^[A-Z].*\.$/);
    expect(await storedUser(user.userId)).toEqual(before);
  });

  test('takes the longest of everything, in any script', async () => {
    const longest = {
      addressLine: '漢'.repeat(500),
      city: 'ß'.repeat(100),
      state: 'é'.repeat(100),
      postalCode: '9'.repeat(20),
    };
    expect(await add(other, longest)).toMatchObject(longest);
  });

  test('takes 50 at most, also of those that come at the same time', async () => {
    const someone = await newUserClient();
    for (let batch = 0; batch < 6; batch += 1) {
      await Promise.all(Array.from({ length: 10 }, () => someone.attempt('identity.addresses.create', { body: home })));
    }
    expect((await storedUser(someone.userId))?.addresses).toHaveLength(50);
    expect(await someone.attempt('identity.addresses.create', { body: home })).toMatchObject({
      status: 409,
      body: { error: 'LIMIT_REACHED' },
    });
  });
});

describe('GET /identity/me/addresses', () => {
  test('is empty at first', async () => {
    const { status, body } = await user.send<object>('GET', '/identity/me/addresses');
    expect({ status, body }).toEqual({ status: 200, body: { data: [], nextCursor: null } });
  });

  test('shows them in pages, the oldest first', async () => {
    const someone = await newUserClient();
    for (const city of ['1', '2', '3']) await add(someone, { city });
    const first = await someone.call('identity.addresses.list', { query: { limit: '2' } });
    expect(first.data.map(({ city }) => city)).toEqual(['1', '2']);
    const next = await someone.call('identity.addresses.list', { query: { limit: '2', cursor: first.nextCursor! } });
    expect(next).toMatchObject({ data: [{ city: '3' }], nextCursor: null });
  });

  test.each([
    [{ limit: '0' }, 'INPUT_INVALID'],
    [{ cursor: 'abc' }, 'CURSOR_INVALID'],
    [{ type: 'home' }, 'INPUT_INVALID'],
  ])('refuses %j', async (query, error) => {
    expect(await user.attempt('identity.addresses.list', { query })).toMatchObject({ status: 400, body: { error } });
  });
});

describe('PATCH /identity/me/addresses/:addressId', () => {
  test('changes what it names and leaves the rest', async () => {
    const someone = await newUserClient();
    const { addressId } = await add(someone);
    const { status, body } = await change(someone, addressId, { type: 'billing', city: 'Bath', country: 'de' });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { ...home, addressId, type: 'billing', city: 'Bath', country: 'DE' },
    });
    expect(await listOf(someone)).toEqual([body]);
  });

  test('empties state and postal code by null, which nothing else takes', async () => {
    const someone = await newUserClient();
    const { addressId } = await add(someone);
    const { body } = await change(someone, addressId, { state: null, postalCode: null });
    expect(body).toMatchObject({ ...home, state: '', postalCode: '' });
    for (const field of ['type', 'addressLine', 'city', 'country']) {
      expect(await change(someone, addressId, { [field]: null })).toMatchObject({
        status: 400,
        body: { details: [{ path: `body.${field}` }] },
      });
    }
  });

  test('changes nothing when it names nothing, or says what is so already', async () => {
    const someone = await newUserClient();
    const address = await add(someone);
    const before = await storedUser(someone.userId);
    for (const body of [{}, home]) {
      expect(await change(someone, address.addressId, body)).toMatchObject({ status: 200, body: address });
    }
    expect(await storedUser(someone.userId)).toEqual(before);
  });

  test('loses none of many changes at the same time', async () => {
    const someone = await newUserClient();
    const { addressId } = await add(someone);
    const changes = [{ city: 'A' }, { state: 'B' }, { postalCode: 'C' }, { addressLine: 'D' }, { country: 'FR' }];
    const answers = await Promise.all([
      ...changes.map((body) => change(someone, addressId, body)),
      ...changes.map(() => someone.attempt('identity.addresses.create', { body: home })),
    ]);
    expect(answers.filter(({ status }) => status >= 300)).toEqual([]);
    const addresses = await listOf(someone);
    expect(addresses).toHaveLength(6);
    expect(addresses[0]).toMatchObject(Object.assign({}, ...changes));
  });
});

describe('DELETE /identity/me/addresses/:addressId', () => {
  test('removes an address', async () => {
    const someone = await newUserClient();
    const { addressId } = await add(someone);
    const kept = await add(someone);
    expect(await remove(someone, addressId)).toMatchObject({ status: 204, text: '' });
    expect(await listOf(someone)).toEqual([kept]);
    expect(await remove(someone, addressId)).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } });
  });
});

describe('addresses', () => {
  test('of another user are not found, and stay as they are', async () => {
    const { addressId } = await add(other);
    const before = await storedUser(other.userId);
    expect(await change(user, addressId, { city: 'Elsewhere' })).toMatchObject({ status: 404 });
    expect(await remove(user, addressId)).toMatchObject({ status: 404 });
    expect(await storedUser(other.userId)).toEqual(before);
  });

  test('are recorded by type and field, and not by what they say', async () => {
    const { orgId } = await newTenantClient();
    const someone = await newUserClient({ orgId });
    const { addressId } = await add(someone);
    await change(someone, addressId, { city: 'Bath', state: null });
    await remove(someone, addressId);
    const target = { type: 'address', id: addressId };
    const acts = await actsOf(someone.userId, orgId);
    expect(acts).toMatchObject([
      { action: 'address.created', target, after: { type: 'home' } },
      { action: 'address.updated', target, after: { fields: ['city', 'state'] } },
      { action: 'address.removed', target },
    ]);
    expect(JSON.stringify(acts)).not.toMatch(/James|London|Bath/);
  });
});
