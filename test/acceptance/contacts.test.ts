import { randomBytes } from 'node:crypto';
import { beforeAll, expect } from '@jest/globals';
import { covers } from './covers.ts';
import { platform } from './platform.ts';
import { expectRefused } from './refusals.ts';

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const newEmail = () => `${randomBytes(8).toString('hex')}@example.com`;
const all = { query: { limit: '100' } };

// A user has at most 50 of each, and an earlier run of the suite may have left some.
beforeAll(async () => {
  const { owner, otherOwner } = await platform();
  for (const person of [owner, otherOwner]) {
    const contacts = await person.call('identity.contacts.list', all);
    for (const { contactId, value } of contacts.data) {
      if (value !== person.email) await person.call('identity.contacts.remove', { path: { contactId } });
    }
    const addresses = await person.call('identity.addresses.list', all);
    for (const { addressId } of addresses.data) await person.call('identity.addresses.remove', { path: { addressId } });
  }
});

covers('contacts.create', async ({ owner }) => {
  const value = newEmail();
  const { status, body } = await owner.attempt('identity.contacts.create', { body: { type: 'email', value } });
  expect(status).toBe(201);
  expect(body).toEqual({
    contactId: expect.stringMatching(/^con_/),
    type: 'email',
    value,
    isPrimary: false,
    verified: false,
    createdAt: expect.stringMatching(timestamp),
    updatedAt: expect.stringMatching(timestamp),
  });
  const again = await owner.attempt('identity.contacts.create', { body: { type: 'email', value } });
  expect(again).toMatchObject({ status: 409, body: { error: 'CONTACT_EXISTS' } });
});

covers('contacts.list', async ({ owner }) => {
  const added = await owner.call('identity.contacts.create', { body: { type: 'microblog', value: newEmail() } });
  const { data, nextCursor } = await owner.call('identity.contacts.list', all);
  expect(data.find(({ contactId }) => contactId === added.contactId)).toEqual(added);
  expect(data.find(({ value }) => value === owner.email)).toMatchObject({ type: 'email', verified: true });
  expect(nextCursor).toBeNull();
});

covers('contacts.update', async ({ owner }) => {
  const made = await owner.call('identity.contacts.create', { body: { type: 'photoapp', value: newEmail() } });
  const path = { contactId: made.contactId };
  const changed = await owner.attempt('identity.contacts.update', { path, body: { value: '@ada' } });
  expect(changed).toMatchObject({ status: 200, body: { ...path, type: 'photoapp', value: '@ada' } });
  await expectRefused(owner, 'PATCH', `/identity/me/contacts/${made.contactId}`, [
    [{ type: 'email' }, 'type'],
    [{ value: '' }, 'value'],
    [{ isPrimary: 'yes' }, 'isPrimary'],
  ]);
});

covers('contacts.remove', async ({ owner }) => {
  const { contactId } = await owner.call('identity.contacts.create', { body: { type: 'chatapp', value: newEmail() } });
  expect(await owner.attempt('identity.contacts.remove', { path: { contactId } })).toMatchObject({
    status: 204,
    text: '',
  });
  expect((await owner.attempt('identity.contacts.remove', { path: { contactId } })).status).toBe(404);
});

covers('contacts.types', async ({ owner }) => {
  await expectRefused(owner, 'POST', '/identity/me/contacts', [
    [{ type: 'fax', value: '1' }, 'type'],
    [{ value: '1' }, 'type'],
    [{ type: 'email' }, 'value'],
    [{ type: 'email', value: 'nobody' }, 'value'],
    [{ type: 'phone', value: '12' }, 'value'],
    [{ type: 'chatapp', value: 'x'.repeat(10_000) }, 'value'],
    [{ type: 'chatapp', value: '@a', isPrimary: 1 }, 'isPrimary'],
    [{ type: 'chatapp', value: '@a', verified: true }, 'verified'],
  ]);
  const phone = `+49 30 ${1_000_000 + Math.floor(Math.random() * 9_000_000)}`;
  const made = await owner.call('identity.contacts.create', { body: { type: 'phone', value: phone } });
  expect(made.value).toBe(phone.replaceAll(' ', ''));
});

covers('contacts.primary', async ({ otherOwner }) => {
  const add = (isPrimary?: boolean) =>
    otherOwner.call('identity.contacts.create', { body: { type: 'socialapp', value: newEmail(), isPrimary } });
  const primaries = async () => {
    const { data } = await otherOwner.call('identity.contacts.list', all);
    return data.filter(({ type, isPrimary }) => type === 'socialapp' && isPrimary).map(({ contactId }) => contactId);
  };
  const [first, second, third] = [await add(), await add(), await add(true)];
  expect([first, second, third].map(({ isPrimary }) => isPrimary)).toEqual([true, false, true]);
  expect(await primaries()).toEqual([third.contactId]);
  const path = { contactId: second.contactId };
  await otherOwner.call('identity.contacts.update', { path, body: { isPrimary: true } });
  expect(await primaries()).toEqual([second.contactId]);
  await otherOwner.call('identity.contacts.remove', { path });
  expect(await primaries()).toHaveLength(1);
});

covers('contacts.login', async ({ owner }) => {
  const { data } = await owner.call('identity.contacts.list', all);
  const path = { contactId: data.find(({ value }) => value === owner.email)!.contactId };
  const removed = await owner.attempt('identity.contacts.remove', { path });
  expect(removed).toMatchObject({ status: 409, body: { error: 'CONTACT_IS_LOGIN' } });
  const changed = await owner.attempt('identity.contacts.update', { path, body: { value: newEmail() } });
  expect(changed).toMatchObject({ status: 409, body: { error: 'CONTACT_IS_LOGIN' } });
});

covers('contacts.verification', async ({ owner }) => {
  const { contactId } = await owner.call('identity.contacts.create', { body: { type: 'email', value: newEmail() } });
  const mailed = await owner.attempt('identity.accounts.send-verification', { path: { contactId } });
  expect(mailed).toMatchObject({ status: 202, body: { contactId, status: 'mailed' } });
  const { data } = await owner.call('identity.contacts.list', all);
  expect(data.find((contact) => contact.contactId === contactId)).toMatchObject({ verified: false });
  const handle = await owner.call('identity.contacts.create', { body: { type: 'chatapp', value: newEmail() } });
  const path = { contactId: handle.contactId };
  expect((await owner.attempt('identity.accounts.send-verification', { path })).status).toBe(400);
});

covers('login-email.change', async ({ owner, otherOwner }) => {
  const unconfirmed = await owner.call('identity.contacts.create', { body: { type: 'email', value: newEmail() } });
  const foreign = (await otherOwner.call('identity.contacts.list', all)).data[0]!;
  const choose = async (contactId: string, currentPassword = owner.password) => {
    const body = { contactId, currentPassword };
    return (await owner.attempt('identity.accounts.change-login-email', { body })).status;
  };
  expect(await choose(unconfirmed.contactId)).toBe(400);
  expect(await choose(foreign.contactId)).toBe(404);
  const { data } = await owner.call('identity.contacts.list', all);
  const { contactId } = data.find(({ value }) => value === owner.email)!;
  expect(await choose(contactId, 'not the password')).toBe(400);
  expect(await choose(contactId)).toBe(204);
  expect(await owner.call('identity.me.read', {})).toMatchObject({ email: owner.email, emailVerified: true });
});

const home = {
  type: 'home' as const,
  addressLine: '1 Long Street',
  city: 'Springfield',
  state: 'Oregon',
  postalCode: '97475',
  country: 'US',
};

covers('addresses.create', async ({ owner }) => {
  const { status, body } = await owner.attempt('identity.addresses.create', { body: home });
  expect(status).toBe(201);
  const times = { createdAt: expect.stringMatching(timestamp), updatedAt: expect.stringMatching(timestamp) };
  expect(body).toEqual({ addressId: expect.stringMatching(/^adr_/), ...home, ...times });
});

covers('addresses.list', async ({ owner }) => {
  const made = await owner.call('identity.addresses.create', { body: { ...home, type: 'work' } });
  const { data } = await owner.call('identity.addresses.list', all);
  expect(data.find(({ addressId }) => addressId === made.addressId)).toEqual(made);
});

covers('addresses.update', async ({ owner }) => {
  const { addressId, createdAt } = await owner.call('identity.addresses.create', { body: home });
  const body = { city: 'Eugene', state: null };
  const changed = await owner.attempt('identity.addresses.update', { path: { addressId }, body });
  expect(changed).toMatchObject({ status: 200, body: { ...home, addressId, createdAt, city: 'Eugene', state: '' } });
});

covers('addresses.remove', async ({ owner }) => {
  const { addressId } = await owner.call('identity.addresses.create', { body: home });
  expect(await owner.attempt('identity.addresses.remove', { path: { addressId } })).toMatchObject({
    status: 204,
    text: '',
  });
  expect((await owner.attempt('identity.addresses.remove', { path: { addressId } })).status).toBe(404);
});

covers('addresses.fields', async ({ owner }) => {
  await expectRefused(owner, 'POST', '/identity/me/addresses', [
    [{ ...home, type: 'holiday' }, 'type'],
    [{ ...home, country: 'USA' }, 'country'],
    [{ ...home, country: 'ZZ' }, 'country'],
    [{ ...home, city: '' }, 'city'],
    [{ ...home, addressLine: 'x'.repeat(10_000) }, 'addressLine'],
    [{ ...home, planet: 'Earth' }, 'planet'],
  ]);
});

covers('contacts.foreign', async ({ owner, otherOwner }) => {
  const contact = await owner.call('identity.contacts.create', { body: { type: 'microblog', value: newEmail() } });
  const { addressId } = await owner.call('identity.addresses.create', { body: home });
  const { contactId } = contact;
  const foreign = [
    await otherOwner.attempt('identity.contacts.update', { path: { contactId }, body: { value: '@mine' } }),
    await otherOwner.attempt('identity.contacts.remove', { path: { contactId } }),
    await otherOwner.attempt('identity.accounts.send-verification', { path: { contactId } }),
    await otherOwner.attempt('identity.addresses.update', { path: { addressId }, body: { city: 'Here' } }),
    await otherOwner.attempt('identity.addresses.remove', { path: { addressId } }),
  ];
  expect(foreign.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  expect((await owner.call('identity.contacts.list', all)).data).toContainEqual(contact);
});
