import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { newUserClient, type User } from '../../support/user-client.ts';
import { actsOf, storedUser } from './me-stored.ts';

let user: Client & User;
beforeAll(async () => {
  user = await newUserClient();
});

const fullProfile = {
  firstName: 'Ada',
  middleName: 'King',
  lastName: 'Lovelace',
  preferredName: 'Ada',
  birthDate: '1915-12-10',
  gender: 'female',
  displayName: 'Ada Lovelace 👩🏽‍💻',
  avatarUrl: 'https://images.example.com/ada.png?size=64#face',
};

describe('PATCH /identity/me', () => {
  test('changes the fields it names, and answers the user as GET does', async () => {
    const someone = await newUserClient();
    const { status, body } = await someone.attempt('identity.me.update', { body: fullProfile });
    expect(status).toBe(200);
    expect(body).toMatchObject({ type: 'user', id: someone.userId, email: someone.email, ...fullProfile });
    expect((await someone.send('GET', '/identity/me')).body).toEqual(body);
  });

  test('leaves what it does not name, and clears what is null', async () => {
    const someone = await newUserClient();
    await someone.call('identity.me.update', { body: fullProfile });
    const cleared = await someone.call('identity.me.update', { body: { gender: null, avatarUrl: null } });
    expect(cleared).toMatchObject({ ...fullProfile, gender: null, avatarUrl: null });
  });

  test('changes nothing when it names nothing', async () => {
    const before = await storedUser(user.userId);
    expect(await user.attempt('identity.me.update', { body: {} })).toMatchObject({ status: 200 });
    expect(await storedUser(user.userId)).toEqual(before);
  });

  test('trims texts', async () => {
    expect(await user.call('identity.me.update', { body: { firstName: '  Ada ' } })).toMatchObject({
      firstName: 'Ada',
    });
  });

  test.each([
    ['birthDate', '2000-02-29'],
    ['birthDate', '1900-01-01'],
    ['birthDate', new Date().toISOString().slice(0, 10)],
    ['avatarUrl', 'http://localhost:3001/cdn/a/b.png'],
    ['avatarUrl', `https://example.com/${'a'.repeat(2028)}`],
    ['firstName', 'x'.repeat(100)],
    ['lastName', "O'Brien-Ñandú אבג"],
  ])('takes %s %j', async (field, value) => {
    expect(await user.call('identity.me.update', { body: { [field]: value } })).toMatchObject({ [field]: value });
  });

  test.each<[string, unknown]>([
    ['birthDate', '2001-02-29'],
    ['birthDate', '2000-13-01'],
    ['birthDate', '1899-12-31'],
    ['birthDate', '0000-00-00'],
    ['birthDate', new Date(Date.now() + 48 * 3_600_000).toISOString().slice(0, 10)],
    ['birthDate', '2000-1-1'],
    ['birthDate', '2000-01-01T00:00:00.000Z'],
    ['birthDate', 946684800000],
    ['birthDate', ''],
    ['avatarUrl', 'javascript:alert(1)'],
    ['avatarUrl', 'data:image/png;base64,AA=='],
    ['avatarUrl', 'ftp://example.com/a.png'],
    ['avatarUrl', '//example.com/a.png'],
    ['avatarUrl', '/a.png'],
    ['avatarUrl', 'https:/example.com/a.png'],
    ['avatarUrl', 'https://'],
    ['avatarUrl', 'https://ada:secret@example.com/a.png'],
    ['avatarUrl', 'https://ada@example.com/a.png'],
    ['avatarUrl', 'https://example.com\\@evil.example'],
    ['avatarUrl', 'java\nscript:alert(1)'],
    ['avatarUrl', `https://example.com/${'a'.repeat(2029)}`],
    ['firstName', ''],
    ['firstName', '   '],
    ['firstName', 'x'.repeat(101)],
    ['firstName', 'x'.repeat(10_000)],
    ['firstName', 'a\u0000b'],
    ['firstName', 'a\ud800'],
    ['firstName', 5],
    ['firstName', { $gt: '' }],
    ['lastName', ['Ada']],
    ['email', 'other@example.com'],
    ['status', 'deleting'],
    ['revision', 7],
    ['_id', 'usr_x'],
    ['contacts', []],
    ['passwordHash', 'x'],
    ['__proto__x', 'x'],
  ])('refuses %s %j and changes nothing', async (field, value) => {
    const before = await storedUser(user.userId);
    const { status, body } = await user.attempt('identity.me.update', {
      body: { displayName: 'Changed', [field]: value },
    });
    expect({ status, error: body.error, path: body.details?.[0]?.path }).toEqual({
      status: 400,
      error: 'INPUT_INVALID',
      path: `body.${field}`,
    });
    expect(await storedUser(user.userId)).toEqual(before);
  });

  test.each(['[]', '"text"', 'null', '5', '{"firstName":"Ada"', ''])('refuses the body %s', async (body) => {
    expect(await user.send('PATCH', '/identity/me', body)).toMatchObject({ status: 400 });
  });

  test('records who changed which fields, and not what they say', async () => {
    const { orgId } = await newTenantClient();
    const someone = await newUserClient({ orgId });
    await someone.call('identity.me.update', { body: { firstName: 'Grace', lastName: 'Hopper' } });
    await someone.call('identity.me.update', { body: { firstName: 'Grace', lastName: null } });
    await someone.call('identity.me.update', { body: { firstName: 'Grace' } });
    const acts = await actsOf(someone.userId, orgId);
    expect(acts).toMatchObject([
      {
        action: 'user.updated',
        target: { type: 'user', id: someone.userId },
        after: { fields: ['firstName', 'lastName'] },
      },
      { action: 'user.updated', after: { fields: ['lastName'] } },
    ]);
    expect(acts).toHaveLength(2);
    expect(JSON.stringify(acts)).not.toMatch(/Grace|Hopper/);
  });

  test('loses none of many changes at the same time', async () => {
    const someone = await newUserClient();
    const entries = Object.entries(fullProfile);
    const answers = await Promise.all(
      entries.map(([field, value]) => someone.attempt('identity.me.update', { body: { [field]: value } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(entries.map(() => 200));
    expect(await storedUser(someone.userId)).toMatchObject({ ...fullProfile, revision: 1 + entries.length });
  });
});
