import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Contact } from '../../../models/identity/user.ts';
import type { Client } from '../../support/client.ts';
import type { Answer } from '../../support/http.ts';
import { propertyCases } from '../../support/property-cases.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { newUserClient, type User } from '../../support/user-client.ts';
import { actsOf, inDatabase, storedUser } from './me-stored.ts';

type Person = Client & User;
let user: Person;
let other: Person;
beforeAll(async () => {
  [user, other] = await Promise.all([newUserClient(), newUserClient()]);
});

type NewContact = { type: Contact['type']; value: string; isPrimary?: boolean };
const add = (person: Person, body: NewContact) => person.call('identity.contacts.create', { body });
const listOf = (person: Person) => person.call('identity.contacts.list', { query: {} }).then(({ data }) => data);
const change = (person: Person, contactId: string, body: object) =>
  person.attempt('identity.contacts.update', { path: { contactId }, body });
const remove = (person: Person, contactId: string) =>
  person.attempt('identity.contacts.remove', { path: { contactId } });

/** Of every type there is, how many are primary. */
function primaries(contacts: { type: string; isPrimary: boolean }[]): number[] {
  const types = [...new Set(contacts.map(({ type }) => type))];
  return types.map((type) => contacts.filter((contact) => contact.type === type && contact.isPrimary).length);
}

describe('GET /identity/me/contacts', () => {
  test('begins with the login email, primary and verified', async () => {
    const { status, body } = await (await newUserClient({ email: 'first.contact@example.com' })).send<object>(
      'GET',
      '/identity/me/contacts',
    );
    const contact = { type: 'email', value: 'first.contact@example.com', isPrimary: true, verified: true };
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        data: [
          {
            contactId: expect.stringMatching(/^con_/),
            ...contact,
            createdAt: expect.any(String),
            updatedAt: expect.any(String),
          },
        ],
        nextCursor: null,
      },
    });
  });

  test('shows them in pages, the oldest first, whatever is added and removed between', async () => {
    const someone = await newUserClient();
    for (const value of ['1', '2', '3', '4']) await add(someone, { type: 'chatapp', value });
    const first = await someone.call('identity.contacts.list', { query: { limit: '3' } });
    expect(first.data.map(({ value }) => value)).toEqual([someone.email, '1', '2']);
    await remove(someone, first.data[2]!.contactId);
    await add(someone, { type: 'chatapp', value: '5' });
    const next = await someone.call('identity.contacts.list', { query: { limit: '3', cursor: first.nextCursor! } });
    expect(next).toMatchObject({ data: [{ value: '3' }, { value: '4' }, { value: '5' }], nextCursor: null });
  });

  test.each([
    [{ limit: '0' }, 'INPUT_INVALID'],
    [{ limit: '101' }, 'INPUT_INVALID'],
    [{ limit: '1.5' }, 'INPUT_INVALID'],
    [{ cursor: 'abc' }, 'CURSOR_INVALID'],
    [{ type: 'email' }, 'INPUT_INVALID'],
  ])('refuses %j', async (query, error) => {
    expect(await user.attempt('identity.contacts.list', { query })).toMatchObject({ status: 400, body: { error } });
  });
});

describe('POST /identity/me/contacts', () => {
  test('adds a contact, unverified, in its normal form', async () => {
    const someone = await newUserClient();
    const { status, body } = await someone.attempt('identity.contacts.create', {
      body: { type: 'phone', value: '+49 (30) 123-4567' },
    });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { type: 'phone', value: '+49301234567', isPrimary: true, verified: false },
    });
    expect(await listOf(someone)).toContainEqual(body);
  });

  test('makes the first of a type primary, and the next only when that is wished', async () => {
    const someone = await newUserClient();
    const [first, second, third] = [
      await add(someone, { type: 'chatapp', value: '1', isPrimary: false }),
      await add(someone, { type: 'chatapp', value: '2' }),
      await add(someone, { type: 'chatapp', value: '3', isPrimary: true }),
    ];
    expect([first, second, third].map(({ isPrimary }) => isPrimary)).toEqual([true, false, true]);
    const left = (await listOf(someone)).filter(({ type }) => type === 'chatapp');
    expect(left.map(({ isPrimary }) => isPrimary)).toEqual([false, false, true]);
  });

  test('refuses the same value twice, however it is typed', async () => {
    const someone = await newUserClient();
    await add(someone, { type: 'phone', value: '+12025550123' });
    const repeated = [
      { type: 'phone', value: '+1 202 555 0123' },
      { type: 'email', value: someone.email.toUpperCase() },
    ];
    for (const body of repeated) {
      expect(await someone.attempt('identity.contacts.create', { body })).toMatchObject({
        status: 409,
        body: { error: 'CONTACT_EXISTS' },
      });
    }
    expect(await listOf(someone)).toHaveLength(2);
  });

  test('lets two users have the same contact, which tells neither of the other', async () => {
    expect(await add(user, { type: 'email', value: other.email })).toMatchObject({ verified: false, isPrimary: false });
  });

  test.each<[object, string]>([
    [{ value: 'a@example.com' }, 'type'],
    [{ type: 'fax', value: '1' }, 'type'],
    [{ type: ['email'], value: '1' }, 'type'],
    [{ type: 'email' }, 'value'],
    [{ type: 'email', value: null }, 'value'],
    [{ type: 'email', value: { $ne: '' } }, 'value'],
    [{ type: 'email', value: 'none' }, 'value'],
    [{ type: 'phone', value: '12' }, 'value'],
    [{ type: 'microblog', value: 'x'.repeat(101) }, 'value'],
    [{ type: 'microblog', value: 'x'.repeat(10_000) }, 'value'],
    [{ type: 'email', value: 'a@example.com', isPrimary: 'yes' }, 'isPrimary'],
    [{ type: 'email', value: 'a@example.com', verified: true }, 'verified'],
    [{ type: 'email', value: 'a@example.com', verifiedAt: '2030-01-01T00:00:00.000Z' }, 'verifiedAt'],
    [{ type: 'email', value: 'a@example.com', contactId: 'con_1' }, 'contactId'],
  ])('refuses %j and changes nothing', async (body, field) => {
    const before = await storedUser(user.userId);
    expect(await user.attempt('identity.contacts.create', { body })).toMatchObject({
      status: 400,
      body: { error: 'INPUT_INVALID', details: [{ path: `body.${field}` }] },
    });
    expect(await storedUser(user.userId)).toEqual(before);
  });

  test('adds one for many requests with one Idempotency-Key', async () => {
    const someone = await newUserClient();
    const body = { type: 'chatapp', value: 'once' };
    const headers = { 'idempotency-key': 'the-same' };
    const first = await someone.attempt('identity.contacts.create', { body }, headers);
    const again = await someone.attempt('identity.contacts.create', { body }, headers);
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(await listOf(someone)).toHaveLength(2);
  });

  test('takes 50 at most, also of those that come at the same time', async () => {
    const someone = await newUserClient();
    for (let batch = 0; batch < 6; batch += 1) {
      const values = Array.from({ length: 10 }, (_, index) => `${batch} ${index}`);
      await Promise.all(
        values.map((value) => someone.attempt('identity.contacts.create', { body: { type: 'chatapp', value } })),
      );
    }
    expect((await storedUser(someone.userId))?.contacts).toHaveLength(50);
    expect(
      await someone.attempt('identity.contacts.create', { body: { type: 'chatapp', value: 'one more' } }),
    ).toMatchObject({ status: 409, body: { error: 'LIMIT_REACHED' } });
  });
});

describe('PATCH /identity/me/contacts/:contactId', () => {
  test('changes the value, which then is unverified', async () => {
    const someone = await newUserClient();
    const { contactId } = await add(someone, { type: 'phone', value: '+12025550123' });
    await inDatabase((database) =>
      database
        .collection<{ _id: string }>('identity_users')
        .updateOne({ _id: someone.userId }, { $set: { 'contacts.1.verifiedAt': new Date() } }),
    );
    expect((await change(someone, contactId, { value: '+1 202-555-0123' })).body).toMatchObject({ verified: true });
    expect((await change(someone, contactId, { value: '+12025550124' })).body).toMatchObject({
      value: '+12025550124',
      verified: false,
    });
  });

  test('makes a contact primary and demotes the one that was', async () => {
    const someone = await newUserClient();
    const second = await add(someone, { type: 'email', value: 'second@example.com' });
    expect((await change(someone, second.contactId, { isPrimary: true })).body).toMatchObject({ isPrimary: true });
    expect((await listOf(someone)).map(({ isPrimary }) => isPrimary)).toEqual([false, true]);
  });

  test('changes nothing when it names nothing, or says what is so already', async () => {
    const [login] = await listOf(other);
    const before = await storedUser(other.userId);
    for (const body of [{}, { isPrimary: true }, { value: other.email.toUpperCase() }]) {
      expect(await change(other, login!.contactId, body)).toMatchObject({ status: 200, body: login });
    }
    expect(await storedUser(other.userId)).toEqual(before);
  });

  test('refuses to demote the primary', async () => {
    const [login] = await listOf(user);
    expect(await change(user, login!.contactId, { isPrimary: false })).toMatchObject({
      status: 400,
      body: { error: 'INPUT_INVALID', details: [{ path: 'body.isPrimary' }] },
    });
  });

  test('refuses to change the login email, and a value that another contact has', async () => {
    const someone = await newUserClient();
    const [login] = await listOf(someone);
    const second = await add(someone, { type: 'email', value: 'second@example.com' });
    const before = await storedUser(someone.userId);
    expect(await change(someone, login!.contactId, { value: 'new@example.com' })).toMatchObject({
      status: 409,
      body: { error: 'CONTACT_IS_LOGIN' },
    });
    expect(await change(someone, second.contactId, { value: someone.email })).toMatchObject({
      status: 409,
      body: { error: 'CONTACT_EXISTS' },
    });
    expect(await storedUser(someone.userId)).toEqual(before);
  });

  test.each<[object, string]>([
    [{ value: null }, 'value'],
    [{ value: '' }, 'value'],
    [{ value: 'no address' }, 'value'],
    [{ value: 'x'.repeat(10_000) }, 'value'],
    [{ isPrimary: null }, 'isPrimary'],
    [{ type: 'phone' }, 'type'],
    [{ verified: true }, 'verified'],
  ])('refuses %j', async (body, field) => {
    const someone = await newUserClient();
    const { contactId } = await add(someone, { type: 'email', value: 'second@example.com' });
    expect(await change(someone, contactId, body)).toMatchObject({
      status: 400,
      body: { error: 'INPUT_INVALID', details: [{ path: `body.${field}` }] },
    });
  });
});

describe('DELETE /identity/me/contacts/:contactId', () => {
  test('removes a contact; of a primary’s type the oldest left becomes primary', async () => {
    const someone = await newUserClient();
    const ids: string[] = [];
    for (const value of ['1', '2', '3']) ids.push((await add(someone, { type: 'chatapp', value })).contactId);
    await change(someone, ids[2]!, { isPrimary: true });
    expect(await remove(someone, ids[2]!)).toMatchObject({ status: 204, text: '' });
    const left = (await listOf(someone)).slice(1);
    expect(left).toMatchObject([
      { value: '1', isPrimary: true },
      { value: '2', isPrimary: false },
    ]);
    expect(await remove(someone, ids[2]!)).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } });
  });

  test('refuses to remove the login email', async () => {
    const [login] = await listOf(other);
    expect(await remove(other, login!.contactId)).toMatchObject({ status: 409, body: { error: 'CONTACT_IS_LOGIN' } });
    expect(await listOf(other)).toContainEqual(login);
  });

  test.each(['con_00000000000000000000000000', 'x', '__proto__', '%00', '$ne', 'a'.repeat(1000)])(
    'answers 404 for %s',
    async (contactId) => {
      expect([400, 404]).toContain((await user.send('DELETE', `/identity/me/contacts/${contactId}`)).status);
    },
  );
});

describe('contacts', () => {
  test('of another user are not found, and stay as they are', async () => {
    const contact = await add(other, { type: 'photoapp', value: 'mine' });
    const before = await storedUser(other.userId);
    expect(await change(user, contact.contactId, { value: 'yours' })).toMatchObject({ status: 404 });
    expect(await remove(user, contact.contactId)).toMatchObject({ status: 404 });
    expect(await storedUser(other.userId)).toEqual(before);
  });

  test('have one primary a type and lose no change, however many are made at the same time', async () => {
    const kind = fc.constantFrom('add', 'add primary', 'make primary', 'remove', 'rename');
    const steps = fc.array(fc.tuple(kind, fc.nat(5), fc.constantFrom<Contact['type']>('chatapp', 'email')), {
      minLength: 8,
      maxLength: 14,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (chosen) => {
        const someone = await newUserClient();
        const ids: string[] = [];
        for (const value of ['a', 'b', 'c']) ids.push((await add(someone, { type: 'chatapp', value })).contactId);
        for (const value of ['x@example.com', 'y@example.com'])
          ids.push((await add(someone, { type: 'email', value })).contactId);
        const answers = await Promise.all(
          chosen.map(([what, place, type], index): Promise<Answer> => {
            const value = type === 'email' ? `${index}@example.com` : `${index}`;
            const contactId = ids[place % ids.length]!;
            if (what === 'remove') return remove(someone, contactId);
            if (what === 'make primary') return change(someone, contactId, { isPrimary: true });
            if (what === 'rename') return change(someone, contactId, { value: `renamed${index}@example.com` });
            const body = { type, value, isPrimary: what === 'add primary' };
            return someone.attempt('identity.contacts.create', { body });
          }),
        );
        expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
        const contacts = (await storedUser(someone.userId))?.contacts ?? [];
        expect(primaries(contacts).every((count) => count === 1)).toBe(true);
        const added = answers.filter(({ status }) => status === 201).length;
        const removed = answers.filter(({ status }) => status === 204).length;
        expect(contacts).toHaveLength(6 + added - removed);
      }),
      { numRuns: propertyCases(4, 120), endOnFailure: true },
    );
  }, 120_000);

  test('are recorded by type and field, and not by what they say', async () => {
    const { orgId } = await newTenantClient();
    const someone = await newUserClient({ orgId });
    const { contactId } = await add(someone, { type: 'chatapp', value: 'secret handle' });
    await change(someone, contactId, { value: 'another handle' });
    await remove(someone, contactId);
    const target = { type: 'contact', id: contactId };
    const acts = await actsOf(someone.userId, orgId);
    expect(acts).toMatchObject([
      { action: 'contact.created', target, after: { type: 'chatapp' } },
      { action: 'contact.updated', target, after: { type: 'chatapp', fields: ['value'] } },
      { action: 'contact.removed', target, after: { type: 'chatapp' } },
    ]);
    expect(JSON.stringify(acts)).not.toMatch(/handle/);
  });
});
