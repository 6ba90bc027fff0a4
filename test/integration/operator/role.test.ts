import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AuditRecordDocument } from '../../../models/identity/audit-record.ts';
import type { UserDocument } from '../../../models/identity/user.ts';
import { connectConsole } from '../../../runtime/operator/socket.ts';
import type { Client } from '../../support/client.ts';
import { databaseUrlOf, withDatabase } from '../../support/database.ts';
import { visitorOf } from '../../support/pages.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { insertUser, sessionClientOf, type User } from '../../support/users.ts';

/* The role of operators: who has it, and how they get and lose it. */

let platform: Platform;
let databaseUrl: string;
let someone: Client & User;

beforeAll(async () => {
  platform = await startPlatform({ env: { DEV_MAILBOX: 'yes' } });
  databaseUrl = await databaseUrlOf(platform);
  const user = await insertUser(databaseUrl);
  someone = { ...sessionClientOf(platform.url, user.sessionToken), ...user };
});
afterAll(() => platform.stop());

async function type(line: string): Promise<string> {
  const execute = await connectConsole(platform.dataDir);
  return JSON.stringify(await execute!({ line, as: null, isConfirmed: false }));
}

const list = (client: Client) => client.send('GET', '/operator/organizations');
const storedUser = (userId: string) =>
  withDatabase(databaseUrl, (database) => database.collection<UserDocument>('identity_users').findOne({ _id: userId }));

const recordsAbout = (userId: string) =>
  withDatabase(databaseUrl, (database) =>
    database
      .collection<AuditRecordDocument>('identity_audit_records')
      .find({ orgId: 'platform', 'target.id': userId }, { sort: { _id: 1 } })
      .toArray(),
  );

test('the first user is an operator', async () => {
  const { adminEmail, adminPassword } = platform.firstRun;
  const visitor = visitorOf(platform.url);
  const fields = { email: adminEmail, password: adminPassword };
  await visitor.postFrom('/self-service/login/browser', '/self-service/login', fields);
  const admin = sessionClientOf(platform.url, visitor.cookies.get('platform_session')!);
  expect(await list(admin)).toMatchObject({
    status: 200,
    body: { data: [{ slug: 'first', plan: 'scale', members: 1 }] },
  });
});

test('the console gives and ends the role, which counts with the next request', async () => {
  expect((await list(someone)).status).toBe(403);
  expect(await type(`identity:make-operator ${someone.email} --yes`)).toContain(`${someone.email} is now an operator.`);
  expect((await list(someone)).status).toBe(200);
  expect(await type(`identity:make-operator ${someone.email} --yes`)).toContain('already was an operator');
  expect(await type('identity:operators')).toContain(`${someone.userId} ${someone.email}`);
  expect(await type(`identity:remove-operator ${someone.email} --yes`)).toContain('is now no operator.');
  expect((await list(someone)).status).toBe(403);
  expect(await type('identity:operators')).not.toContain(someone.userId);
  expect(await recordsAbout(someone.userId)).toMatchObject([
    {
      action: 'operator.granted',
      actor: { type: 'system' },
      before: { isOperator: false },
      after: { isOperator: true },
    },
    { action: 'operator.granted', before: { isOperator: true } },
    { action: 'operator.revoked', before: { isOperator: true }, after: { isOperator: false } },
  ]);
});

test('the console asks before it gives the role, and knows no other user', async () => {
  expect(await type(`identity:make-operator ${someone.email}`)).toContain('Continue?');
  expect(await type('identity:make-operator nobody@example.com --yes')).toContain('No user logs in with');
  expect((await storedUser(someone.userId))?.isOperator).toBe(false);
});

describe('the role is refused', () => {
  const denied = {
    status: 403,
    body: { error: 'PERMISSION_DENIED', message: 'The credential lacks the permission this call needs.' },
  };

  test('to a user who is no operator, and to an API key that may do everything', async () => {
    const stranger = await insertUser(databaseUrl);
    expect(await list(sessionClientOf(platform.url, stranger.sessionToken))).toMatchObject(denied);
    const { apiKey } = platform.firstRun;
    const key = { authorization: `Bearer ${apiKey}`, cookie: null, origin: null };
    expect(await someone.send('GET', '/operator/organizations', undefined, key)).toMatchObject(denied);
  });

  test('without a credential', async () => {
    const answer = await someone.send('GET', '/operator/organizations', undefined, { cookie: null });
    expect(answer).toMatchObject({ status: 401, body: { error: 'CREDENTIAL_REQUIRED' } });
  });

  test('as a field of the profile', async () => {
    const answer = await someone.send('PATCH', '/identity/me', { isOperator: true });
    expect(answer).toMatchObject({ status: 400, body: { error: 'INPUT_INVALID' } });
    expect((await storedUser(someone.userId))?.isOperator).toBe(false);
  });
});
