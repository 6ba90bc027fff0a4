import { beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import { hashToken } from '../../../lib/security/token-hash.ts';
import type { SessionDocument } from '../../../models/identity/session.ts';
import type { Client } from '../../support/client.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { until } from '../../support/until.ts';
import { newUserClient, sessionClientOf, type User } from '../../support/user-client.ts';
import { actsOf, inDatabase } from './me-stored.ts';

type Person = Client & User;
let other: Person;
beforeAll(async () => {
  other = await newUserClient();
});

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** Logs a user in once more, from another browser. */
async function logIn(person: Person, fields: Partial<SessionDocument> = {}): Promise<Client & { sessionId: string }> {
  const token = newId('ses');
  const _id = newId('ses');
  await inDatabase(async (database) => {
    const sessions = database.collection<SessionDocument>('identity_sessions');
    const [own] = await sessions.find({ userId: person.userId }).toArray();
    await sessions.insertOne({ ...own!, _id, tokenHash: hashToken(token), userAgent: firefox, ...fields });
  });
  return { ...sessionClientOf(person.url, token), sessionId: _id };
}

const listOf = (client: Client) => client.call('identity.sessions.list', { query: {} }).then(({ data }) => data);
const revoke = (client: Client, id: string) => client.attempt('identity.sessions.revoke', { path: { id } });

/** Whether a session still works, as soon as gateways had the time to hear. */
const isOut = (client: Client) => client.send('GET', '/identity/me').then(({ status }) => status === 401);

describe('GET /identity/me/sessions', () => {
  test('shows where the user is logged in, the newest login first, and no secret', async () => {
    const user = await newUserClient();
    const second = await logIn(user);
    const { text, body } = await user.send<{ data: object[] }>('GET', '/identity/me/sessions');
    expect(body).toEqual({
      data: [
        {
          id: second.sessionId,
          device: 'Firefox on Linux',
          userAgent: firefox,
          address: '127.0.0.1',
          createdAt: expect.any(String),
          lastUsedAt: expect.any(String),
          expiresAt: expect.any(String),
          current: false,
        },
        expect.objectContaining({ id: user.sessionId, device: 'Unknown device', current: true }),
      ],
      nextCursor: null,
    });
    expect(text).not.toMatch(/token|hash/i);
    expect((await listOf(second)).map(({ current }) => current)).toEqual([true, false]);
  });

  test('leaves out the sessions that have expired and those of others', async () => {
    const user = await newUserClient();
    await logIn(user, { expiresAt: new Date(Date.now() - 1) });
    expect((await listOf(user)).map(({ id }) => id)).toEqual([user.sessionId]);
  });

  test('goes in pages', async () => {
    const user = await newUserClient();
    const second = await logIn(user);
    const first = await user.call('identity.sessions.list', { query: { limit: '1' } });
    expect(first.data.map(({ id }) => id)).toEqual([second.sessionId]);
    const next = await user.call('identity.sessions.list', { query: { limit: '1', cursor: first.nextCursor! } });
    expect(next).toMatchObject({ data: [{ id: user.sessionId }], nextCursor: null });
  });

  test.each([
    [{ limit: '0' }, 'INPUT_INVALID'],
    [{ cursor: 'abc' }, 'CURSOR_INVALID'],
    [{ userId: 'usr_1' }, 'INPUT_INVALID'],
  ])('refuses %j', async (query, error) => {
    expect(await other.attempt('identity.sessions.list', { query })).toMatchObject({ status: 400, body: { error } });
  });
});

describe('DELETE /identity/me/sessions/:id', () => {
  test('logs the user out there, and nowhere else', async () => {
    const user = await newUserClient();
    const second = await logIn(user);
    expect(await isOut(second)).toBe(false);
    expect(await revoke(user, second.sessionId)).toMatchObject({ status: 204, text: '' });
    await until(() => isOut(second));
    expect(await listOf(user)).toMatchObject([{ id: user.sessionId }]);
    expect(await revoke(user, second.sessionId)).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } });
  });

  test('ends the session that asks, too', async () => {
    const user = await newUserClient();
    expect(await revoke(user, user.sessionId)).toMatchObject({ status: 204 });
    await until(() => isOut(user));
  });

  test('knows no session of another user, and leaves it alone', async () => {
    const user = await newUserClient();
    for (const id of [other.sessionId, 'ses_00000000000000000000000000', 'x']) {
      expect(await revoke(user, id)).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } });
    }
    expect(await isOut(other)).toBe(false);
  });

  test('ends a session once, however many ask at the same time', async () => {
    const user = await newUserClient();
    const second = await logIn(user);
    const answers = await Promise.all(Array.from({ length: 8 }, () => revoke(user, second.sessionId)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array(7).fill(404)]);
  });

  test('is recorded', async () => {
    const { orgId } = await newTenantClient();
    const user = await newUserClient({ orgId });
    const second = await logIn(user);
    await revoke(user, second.sessionId);
    expect(await actsOf(user.userId, orgId)).toMatchObject([
      { action: 'session.revoked', target: { type: 'session', id: second.sessionId } },
    ]);
  });
});

describe('DELETE /identity/me/sessions', () => {
  test('logs the user out everywhere else', async () => {
    const user = await newUserClient();
    const others = [await logIn(user), await logIn(user)];
    expect(await user.send('DELETE', '/identity/me/sessions')).toMatchObject({ status: 204, text: '' });
    for (const one of others) await until(() => isOut(one));
    expect(await listOf(user)).toMatchObject([{ id: user.sessionId, current: true }]);
    expect(await isOut(other)).toBe(false);
    expect(await user.send('DELETE', '/identity/me/sessions')).toMatchObject({ status: 204 });
  });
});
