import { randomBytes, scryptSync } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { eachOf } from '../../support/each-of.ts';
import { type Answer, send } from '../../support/http.ts';
import { flowOf, mailedLink, visitorOf, wordsOf } from '../../support/pages.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { createTenant, databaseUrlOf, introduce, withDatabase } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';
import { createUser, sessionClientOf, type User, type UserOptions } from '../../support/user-client.ts';

let platform: Platform;
let databaseUrl: string;

beforeAll(async () => {
  // A password takes so long that those of a flood have to wait, on a busy machine too.
  platform = await startPlatform({ env: { RATE_LIMIT_RPS: '500', TRUSTED_PROXIES: '1', PASSWORD_COST: '11' } });
  databaseUrl = await databaseUrlOf(platform);
  introduce(databaseUrl, { url: platform.url, ...platform.firstRun });
});

const newAddress = (): string => ['198', ...randomBytes(3)].join('.');
const newEmail = (): string => `${randomBytes(8).toString('hex')}@example.com`;

/** A browser at an address, and a form of a page of it to send again and again. */
async function formAt(address: string, formPath: string, path: string) {
  const visitor = visitorOf(platform.url);
  const headers = { 'x-forwarded-for': address };
  // The page counts by address too: the form is had from another.
  const flow = flowOf(await visitor.get(formPath, { 'x-forwarded-for': newAddress() }));
  const post = (fields: Record<string, string>) => visitor.post(path, { flow, ...fields }, headers);
  /** Until the rate limit of requests lets it pass. */
  return async (fields: Record<string, string>): Promise<Answer> => {
    for (;;) {
      const answer = await post(fields);
      if (answer.status !== 429 || Number(answer.headers['retry-after']) > 2) return answer;
    }
  };
}

const loginAt = (address: string) => formAt(address, '/self-service/login/browser', '/self-service/login');

/** A user whose password was hashed by parameters that cost little. */
async function newWeakUser(options: UserOptions = {}): Promise<User> {
  const user = await createUser(databaseUrl, options);
  const salt = randomBytes(16);
  const text = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
  const hash = scryptSync('the password', salt, 32, { N: 1024, r: 8, p: 1 });
  const passwordHash = `$scrypt$ln=10,r=8,p=1$${text(salt)}$${text(hash)}`;
  await withDatabase(databaseUrl, (database) =>
    database.collection<{ _id: string }>('identity_users').updateOne({ _id: user.userId }, { $set: { passwordHash } }),
  );
  return user;
}

type Attempts = { _id: string; triedAt: Date[] };

/** Makes two attempts, and has what counted both of them count so many more, as if they had been made just now. */
async function asAfter(count: number, attempts: [() => Promise<Answer>, () => Promise<Answer>]): Promise<void> {
  await withDatabase(databaseUrl, async (database) => {
    const all = database.collection<Attempts>('identity_attempts');
    const from = new Date();
    for (const attempt of attempts) expect(await attempt()).toMatchObject({ status: 400 });
    const triedAt = Array.from({ length: count }, () => new Date());
    await all.updateMany({ triedAt: { $size: 2 }, 'triedAt.0': { $gte: from } }, { $set: { triedAt } });
  });
}

const statusesOf = (answers: Answer[]): Record<number, number> =>
  Object.fromEntries([...Map.groupBy(answers, ({ status }) => status)].map(([status, { length }]) => [status, length]));

describe('from one address', () => {
  test('a hundred passwords are tried in an hour, on however many accounts; then a page says when to try again', async () => {
    const address = newAddress();
    const user = await createUser(databaseUrl);
    const logIn = await loginAt(address);
    const right = { email: user.email, password: user.password };
    expect(await logIn(right)).toMatchObject({ status: 303 });
    // No more guesses for each than would lock it out by itself.
    const accounts = await Promise.all(Array.from({ length: 4 }, () => newWeakUser()));
    const guess = (place: number) => logIn({ email: accounts[place % 4]!.email, password: 'a guess of many' });
    await asAfter(90, [() => guess(0), () => guess(1)]);
    expect(statusesOf(await eachOf(27, guess))).toEqual({ 400: 10, 429: 17 });
    expect(await logIn(right)).toMatchObject({ status: 303 });
    const refused = await (await loginAt(address))(right);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(600);
    expect(wordsOf(refused)).toMatch(/Too many attempts\. Try again in \d+ minutes/);
    expect(await (await loginAt(newAddress()))(right)).toMatchObject({ status: 303 });

    // A session is a known device, which has failures of its own.
    const client = sessionClientOf(platform.url, user.sessionToken);
    const change = (currentPassword: string) =>
      client.send(
        'PUT',
        '/identity/me/password',
        { currentPassword, newPassword: 'a quite different one' },
        { 'x-forwarded-for': address },
      );
    const wrong = await eachOf(10, () => change('wrong'));
    expect(statusesOf(wrong)).toEqual({ 400: 10 });
    const json = await change(user.password);
    expect(json).toMatchObject({ status: 429, body: { error: 'RATE_LIMITED' } });
    expect(Number(json.headers['retry-after'])).toBeGreaterThan(10);
  }, 240_000);

  test('thirty mails to strangers go in an hour, and a refusal does not tell who has an account', async () => {
    const address = newAddress();
    const user = await createUser(databaseUrl);
    const recover = await formAt(address, '/self-service/recovery/browser', '/self-service/recovery');
    const registering = await formAt(address, '/self-service/registration/browser', '/self-service/registration');
    const recovered = await eachOf(25, () => recover({ email: newEmail() }));
    expect(statusesOf(recovered)).toEqual({ 200: 25 });
    const fields = () => ({ email: newEmail(), password: 'four words that nobody guesses' });
    const registered = await eachOf(15, () => registering(fields()));
    expect(statusesOf(registered)).toEqual({ 200: 5, 429: 10 });
    const [known, unknown] = [await recover({ email: user.email }), await recover({ email: newEmail() })];
    for (const refused of [known, unknown]) {
      expect(refused.status).toBe(429);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(600);
      expect(wordsOf(refused)).toContain('Too many attempts.');
    }
    const elsewhere = await formAt(newAddress(), '/self-service/recovery/browser', '/self-service/recovery');
    expect(await elsewhere({ email: newEmail() })).toMatchObject({ status: 200 });
  }, 120_000);
});

test('a user has twenty mails an hour sent to addresses that are not confirmed, and is told so in JSON', async () => {
  const user = await createUser(databaseUrl);
  const client = sessionClientOf(platform.url, user.sessionToken);
  const answers = await eachOf(25, async () => {
    const from = { 'x-forwarded-for': newAddress() };
    const value = newEmail();
    const contact = await client.send<{ contactId: string }>(
      'POST',
      '/identity/me/contacts',
      { type: 'email', value },
      from,
    );
    return client.send('POST', `/identity/me/contacts/${contact.body.contactId}/verification`, undefined, from);
  });
  expect(statusesOf(answers)).toEqual({ 202: 20, 429: 5 });
  const refused = answers.find(({ status }) => status === 429)!;
  expect(refused.body).toMatchObject({ error: 'RATE_LIMITED' });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(600);
});

test('an address that floods the node with passwords lets another be the next but one', async () => {
  const [flooding, other] = [await loginAt(newAddress()), await loginAt(newAddress())];
  const answered: string[] = [];
  const flood = Array.from({ length: 30 }, async () => {
    await flooding({ email: newEmail(), password: 'a guess of a flood' });
    answered.push('flood');
  });
  // By now the rest of the flood waits.
  await Promise.any(flood);
  await other({ email: newEmail(), password: 'a guess of another' });
  const before = answered.length;
  await Promise.all(flood);
  expect(answered.length - before).toBeGreaterThanOrEqual(3);
});

const addressIn = (range: number): string => `2001:db9:${range.toString(16)}::1`;

test('fifty guesses at an account an hour are tried; its known device logs in, and a mailed link makes another one known', async () => {
  const user = await newWeakUser();
  const known = await loginAt(newAddress());
  const right = { email: user.email, password: 'the password' };
  expect(await known(right)).toMatchObject({ status: 303 });
  const guess = async (range: number) =>
    (await loginAt(addressIn(range + 100)))({ email: user.email, password: 'a guess of many' });
  await asAfter(40, [() => guess(20), () => guess(21)]);
  expect(statusesOf(await eachOf(20, guess))).toEqual({ 400: 10, 429: 10 });
  expect(await (await loginAt(newAddress()))(right)).toMatchObject({ status: 429 });
  expect(await known(right)).toMatchObject({ status: 303 });

  const visitor = visitorOf(platform.url);
  const headers = { 'x-forwarded-for': newAddress() };
  await visitor.postFrom('/self-service/recovery/browser', '/self-service/recovery', { email: user.email });
  const link = await mailedLink(user.email, '/self-service/recovery/reset', platform);
  const password = 'a password that was chosen anew';
  const flow = flowOf(await visitor.get(link, headers));
  expect(await visitor.post(link, { flow, password }, headers)).toMatchObject({ status: 303 });
  const logIn = async () => ({
    flow: flowOf(await visitor.get('/self-service/login/browser')),
    email: user.email,
    password,
  });
  expect(await visitor.post('/self-service/login', await logIn(), headers)).toMatchObject({ status: 303 });
}, 120_000);

test('the audit log of an organization counts failed logins, and records one by one what a member does', async () => {
  const tenant = await createTenant(databaseUrl);
  const user = await newWeakUser({ orgId: tenant.orgId, role: 'owner' });
  const logIn = await loginAt(newAddress());
  await eachOf(8, () => logIn({ email: user.email, password: 'a guess at one' }));
  const client = sessionClientOf(platform.url, user.sessionToken);
  const body = { currentPassword: 'wrong', newPassword: 'a quite different one' };
  for (let count = 0; count < 3; count += 1) await client.send('PUT', '/identity/me/password', body);
  type Log = { data: { actor: { type: string }; count?: number; lastAt?: string }[] };
  const log = await send<Log>(platform.url, {
    path: `/organizations/${tenant.orgId.replace('_', '-')}/audit-log?action=login.failed`,
    headers: { authorization: `Bearer ${tenant.apiKey}` },
  });
  const byStrangers = log.body.data.filter(({ actor }) => actor.type === 'anonymous');
  // An hour may end between them.
  expect(byStrangers.length).toBeLessThanOrEqual(2);
  expect(byStrangers.reduce((sum, { count = 0 }) => sum + count, 0)).toBe(8);
  expect(byStrangers[0]!.lastAt).toMatch(/Z$/);
  const byUser = log.body.data.filter(({ actor }) => actor.type === 'user');
  expect(byUser).toHaveLength(3);
  expect(byUser.every((record) => !('count' in record))).toBe(true);
});

// Last, because work of the flood may still be queued when its requests have timed out.
test('a device that logged in before has places when the others are taken', async () => {
  const user = await createUser(databaseUrl);
  const right = { email: user.email, password: user.password };
  const known = await loginAt(newAddress());
  expect(await known(right)).toMatchObject({ status: 303 });
  // The node has places for 43, and some of the flood are always between two attempts.
  const forms = await eachOf(60, (range) => loginAt(addressIn(range)));
  const answers: Answer[] = [];
  let isOver = false;
  const flood = forms.map(async (logIn) => {
    while (!isOver) answers.push(await logIn({ email: newEmail(), password: 'a guess of a flood' }));
  });
  try {
    await eventually(() => expect(answers.map(({ status }) => status)).toContain(503));
    for (let count = 0; count < 3; count += 1) expect(await known(right)).toMatchObject({ status: 303 });
  } finally {
    isOver = true;
    await Promise.all(flood);
  }
  expect(Object.keys(statusesOf(answers))).toEqual(['400', '503']);
}, 120_000);
