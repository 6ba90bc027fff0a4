import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { covers } from './covers.ts';
import { expectRefused } from './refusals.ts';

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const newEmail = () => `${randomBytes(8).toString('hex')}@example.com`;

covers('me.user', async ({ own, owner }) => {
  const { status, body } = await owner.attempt('identity.me.read', {});
  expect(status).toBe(200);
  expect(body).toMatchObject({
    type: 'user',
    id: expect.stringMatching(/^usr_[0-9a-hjkmnp-tv-z]{26}$/),
    email: owner.email,
    emailVerified: true,
    createdAt: expect.stringMatching(timestamp),
    updatedAt: expect.stringMatching(timestamp),
  });
  expect(Object.keys(body)).toEqual(expect.arrayContaining(profileFields));
  const { organizations } = body as { organizations: object[] };
  expect(organizations).toContainEqual({
    id: own.orgId,
    slug: expect.any(String),
    name: expect.any(String),
    role: 'owner',
  });
});

const profileFields = [
  ...['firstName', 'middleName', 'lastName', 'preferredName', 'birthDate', 'gender', 'displayName', 'avatarUrl'],
];

covers('me.update', async ({ owner }) => {
  const whole = {
    firstName: 'Ada',
    middleName: 'Marie',
    lastName: 'Moreau',
    preferredName: 'Adi',
    birthDate: '1990-02-28',
    gender: 'female',
    displayName: 'Ada Moreau',
    avatarUrl: 'https://example.com/ada.png',
  };
  expect(await owner.attempt('identity.me.update', { body: whole })).toMatchObject({ status: 200, body: whole });
  const changed = await owner.call('identity.me.update', { body: { displayName: 'A. M.', middleName: null } });
  expect(changed).toMatchObject({ ...whole, displayName: 'A. M.', middleName: null });
  expect(await owner.call('identity.me.read', {})).toMatchObject({ ...whole, displayName: 'A. M.', middleName: null });
});

covers('me.fields', async ({ owner }) => {
  await owner.call('identity.me.update', { body: { firstName: 'Ada', birthDate: '1990-02-28' } });
  await expectRefused(owner, 'PATCH', '/identity/me', [
    [{ firstName: 1 }, 'firstName'],
    [{ firstName: 'x'.repeat(10_000) }, 'firstName'],
    [{ displayName: 'a\u0000b' }, 'displayName'],
    [{ birthDate: '2001-02-29' }, 'birthDate'],
    [{ birthDate: '28.02.1990' }, 'birthDate'],
    [{ birthDate: '2999-01-01' }, 'birthDate'],
    [{ avatarUrl: 'javascript:alert(1)' }, 'avatarUrl'],
    [{ firstName: 'B', nickname: 'b' }, 'nickname'],
    [{ email: newEmail() }, 'email'],
    [{ id: 'usr_x' }, 'id'],
  ]);
  expect(await owner.call('identity.me.read', {})).toMatchObject({ firstName: 'Ada', birthDate: '1990-02-28' });
});

covers('me.application', async ({ own }) => {
  const calls: [method: string, path: string, body?: object][] = [
    ['PATCH', '/identity/me', { firstName: 'A' }],
    ['DELETE', '/identity/me'],
    ['GET', '/identity/me/contacts'],
    ['GET', '/identity/me/addresses'],
    ['GET', '/identity/me/sessions'],
    ['GET', '/identity/me/export'],
    ['POST', '/organizations', { name: 'Its own', slug: 'its-own' }],
  ];
  for (const [method, path, body] of calls) {
    const answer = await own.send(method, path, body);
    expect({ path, status: answer.status, error: answer.body.error }).toEqual({
      path,
      status: 403,
      error: 'USER_REQUIRED',
    });
  }
});

covers('me.export', async ({ own, owner }) => {
  const { status, headers, body, text } = await owner.attempt('identity.me.export', {});
  expect(status).toBe(200);
  expect(headers['content-disposition']).toMatch(/^attachment/);
  const { id } = await owner.call('identity.me.read', {});
  expect(body.user).toMatchObject({ id, email: owner.email });
  expect(body.memberships.map(({ orgId }) => orgId)).toContain(own.orgId);
  expect(body.contacts.map(({ value }) => value)).toContain(owner.email);
  expect(body).toMatchObject({ addresses: expect.any(Array), sessions: expect.any(Array) });
  // `tokenEndpointAuthMethod` of a client is no secret.
  expect(text).not.toMatch(/hash|token(?!EndpointAuthMethod)|scrypt/i);
});

covers('me.last-owner', async ({ owner }) => {
  const { status, body } = await owner.attempt('identity.me.delete', {});
  expect({ status, error: body.error }).toEqual({ status: 409, error: 'LAST_OWNER' });
  expect((await owner.attempt('identity.me.read', {})).status).toBe(200);
});
