import { randomBytes, scryptSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { hour, minute } from '../../../lib/data/clock.ts';
import { networksOf } from '../../../lib/net/address.ts';
import { hashToken } from '../../../lib/security/token-hash.ts';
import type { PageCookie } from '../../../web/browser.ts';
import { propertyCases } from '../../support/property-cases.ts';
import { until } from '../../support/until.ts';
import {
  actsOn,
  ask,
  goodPassword,
  hashesMade,
  makeUser,
  newClient,
  newEmail,
  ownAccounts,
  pass,
  whoIs,
} from './accounts-setting.ts';

ownAccounts();

type Given = {
  password?: string;
  client?: ReturnType<typeof newClient>;
  former?: string | null;
  device?: string | null;
};

const logIn = (
  email: string,
  { password = goodPassword, client = newClient(), former = null, device = null }: Given = {},
) => {
  const browser = { id: null, sessionTokenHash: null, device, isThisMachine: false };
  return ask('identity.accounts.login', { email, password, formerTokenHash: former }, { client, browser });
};

/** The cookie of a browser after a login with this address, some milliseconds from now. */
async function deviceOf(email: string, shift = 0): Promise<string> {
  const { rememberDevice } = await import('../../../services/identity/accounts/known-devices.ts');
  const { browserOf } = await import('../../../web/browser.ts');
  const cookies: PageCookie[] = [];
  pass(shift);
  const meta = { id: null, sessionTokenHash: null, device: null, isThisMachine: false };
  rememberDevice(
    browserOf(meta, (cookie) => cookies.push(cookie)),
    email,
  );
  pass(-shift);
  return cookies[0]!.value;
}

const outcomesOf = async (answers: Promise<{ outcome: string }>[]): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const { outcome } of await Promise.all(answers)) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
};

/** Fails so often one after the other, without the cost of checking a password. */
async function fail(email: string, client: ReturnType<typeof newClient>, times: number): Promise<void> {
  const { beginLoginAttempt } = await import('../../../services/identity/accounts/login.ts');
  for (let count = 0; count < times; count += 1) await beginLoginAttempt(email, { client });
}

/** A hash as former parameters made them, or as `ln` and `p` do. */
function hashOf(password: string, { ln = 10, p = 1 } = {}): string {
  const salt = randomBytes(16);
  const text = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
  return `$scrypt$ln=${ln},r=8,p=${p}$${text(salt)}$${text(scryptSync(password, salt, 32, { N: 2 ** ln, r: 8, p }))}`;
}

async function store(userId: string, passwordHash: string): Promise<() => Promise<string>> {
  const { UserModel } = await import('../../../models/identity/user.ts');
  await UserModel.updateOne({ _id: userId }, { $set: { passwordHash } });
  return async () => (await UserModel.findOne({ _id: userId }).lean())!.passwordHash;
}

describe('a login', () => {
  test('with the right password makes a session, and ends the one the browser had', async () => {
    const { email, userId, sessionToken } = await makeUser();
    const answer = await logIn(email, { former: hashToken(sessionToken) });
    expect(answer).toEqual({
      outcome: 'loggedIn',
      sessionToken: expect.any(String),
      expiresAt: expect.any(String),
      email,
      language: null,
    });
    const token = answer.outcome === 'loggedIn' ? answer.sessionToken : '';
    expect(token).not.toBe(sessionToken);
    expect(await whoIs(token)).toBe(userId);
    expect(await whoIs(sessionToken)).toBeNull();
  });

  test('finds the account however the address is typed', async () => {
    const { email } = await makeUser();
    expect(await logIn(` ${email.toUpperCase()}`)).toMatchObject({ outcome: 'loggedIn' });
  });

  test('finds it however the characters of the password are composed', async () => {
    const { email } = await makeUser({ password: 'Caf\u00e9 au lait' });
    expect(await logIn(email, { password: 'Cafe\u0301 au lait' })).toMatchObject({ outcome: 'loggedIn' });
  });

  test('with a wrong password is refused, and the session of the browser stays', async () => {
    const { email, userId, sessionToken } = await makeUser();
    const former = hashToken(sessionToken);
    expect(await logIn(email, { password: 'wrong', former })).toEqual({ outcome: 'refused' });
    expect(await whoIs(sessionToken)).toBe(userId);
    expect(await actsOn(userId)).toEqual(['user.created', 'login.failed']);
  });

  test('of an address that nobody has is refused the same, after the same work, and recorded without the address', async () => {
    const { email } = await makeUser();
    const unknown = newEmail();
    const start = await hashesMade();
    const known = await logIn(email, { password: 'wrong' });
    const between = await hashesMade();
    const other = await logIn(unknown, { password: 'wrong' });
    expect(known).toEqual(other);
    expect([between - start, (await hashesMade()) - between]).toEqual([1, 1]);
    const { AuditRecordModel } = await import('../../../models/identity/audit-record.ts');
    const records = await AuditRecordModel.find({ orgId: 'platform', action: 'login.failed' }).lean();
    expect(records.filter(({ target }) => target.type === 'unknown-email')).toHaveLength(1);
    expect(JSON.stringify(records)).not.toContain(unknown);
  });

  test('takes any text for an address and a password', async () => {
    expect(await logIn('', { password: '' })).toEqual({ outcome: 'refused' });
    expect(await logIn("' || 1 == 1 //", { password: '\u0000' })).toEqual({ outcome: 'refused' });
  });

  test('of a user who is being deleted is refused', async () => {
    const { email, userId } = await makeUser();
    const { UserModel } = await import('../../../models/identity/user.ts');
    await UserModel.updateOne({ _id: userId }, { $set: { status: 'deleting' } });
    expect(await logIn(email)).toEqual({ outcome: 'refused' });
  });

  test('of one user several times at once makes as many sessions', async () => {
    const { email, userId } = await makeUser();
    const answers = await Promise.all(Array.from({ length: 4 }, () => logIn(email)));
    const tokens = answers.map((answer) => (answer.outcome === 'loggedIn' ? answer.sessionToken : ''));
    expect(new Set(tokens).size).toBe(4);
    expect(await Promise.all(tokens.map(whoIs))).toEqual(Array(4).fill(userId));
  });

  test('leaves a session of a password that was changed while it was checked to nobody', async () => {
    const { email, userId } = await makeUser();
    // Long enough to check that the change comes before its end.
    await store(userId, hashOf(goodPassword, { ln: 14, p: 10 }));
    const { SessionModel } = await import('../../../models/identity/session.ts');
    const former = await SessionModel.find({ userId }).lean();
    const started = await hashesMade();
    const answer = logIn(email);
    await until(async () => (await hashesMade()) > started);
    await store(userId, hashOf('the new password'));
    expect(await answer).toEqual({ outcome: 'refused' });
    expect(await SessionModel.find({ userId }).lean()).toEqual(former);
  });
});

describe('a stored password that is weaker than present ones', () => {
  test('is hashed anew by a login, and by that alone', async () => {
    const { email, userId } = await makeUser();
    const former = hashOf(goodPassword);
    const stored = await store(userId, former);
    expect(await logIn(email, { password: 'wrong' })).toEqual({ outcome: 'refused' });
    expect(await stored()).toBe(former);
    expect(await logIn(email)).toMatchObject({ outcome: 'loggedIn' });
    expect(await stored()).toMatch(/^\$scrypt\$ln=8,r=8,p=5\$/);
    expect(await logIn(email)).toMatchObject({ outcome: 'loggedIn' });
  });

  test('lets logins at the same time in', async () => {
    const { email, userId } = await makeUser();
    await store(userId, hashOf(goodPassword));
    expect(await outcomesOf(Array.from({ length: 5 }, () => logIn(email)))).toEqual({ loggedIn: 5 });
  });
});

describe('ten failures in 15 minutes', () => {
  test('lock the account and client out for a minute, also with the right password', async () => {
    const { email, userId } = await makeUser();
    const client = newClient();
    await fail(email, client, 9);
    expect(await logIn(email, { password: 'wrong', client })).toEqual({ outcome: 'refused' });
    expect(await logIn(email, { client })).toEqual({ outcome: 'locked', retryAfterSeconds: expect.any(Number) });
    // Ids of one millisecond have no order.
    expect((await actsOn(userId)).sort()).toEqual(['login.failed', 'login.locked', 'user.created']);
    expect(await logIn(email)).toMatchObject({ outcome: 'loggedIn' });
    pass(minute);
    expect(await logIn(email, { client })).toMatchObject({ outcome: 'loggedIn' });
  });

  test('lock an address out that nobody has, in the same words', async () => {
    const [email, client] = [newEmail(), newClient()];
    await fail(email, client, 9);
    expect(await logIn(email, { client })).toEqual({ outcome: 'refused' });
    const before = await hashesMade();
    expect(await logIn(email, { client })).toEqual({ outcome: 'locked', retryAfterSeconds: expect.any(Number) });
    expect(await hashesMade()).toBe(before);
  });

  test('lock out for longer each time, up to an hour, until a day has passed', async () => {
    const [email, client] = [newEmail(), newClient()];
    const waits = [];
    const lockOut = async (): Promise<number> => {
      await fail(email, client, 10);
      const answer = await logIn(email, { client });
      return answer.outcome === 'locked' ? answer.retryAfterSeconds / 60 : 0;
    };
    for (let count = 0; count < 8; count += 1) {
      waits.push(Math.round(await lockOut()));
      pass(hour);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    pass(24 * hour);
    expect(Math.round(await lockOut())).toBe(1);
  });

  test('are none when they took longer, or when a success came between', async () => {
    const { email } = await makeUser();
    const client = newClient();
    await fail(email, client, 9);
    pass(15 * minute);
    expect(await logIn(email, { password: 'wrong', client })).toEqual({ outcome: 'refused' });
    await fail(email, client, 8);
    expect(await logIn(email, { client })).toMatchObject({ outcome: 'loggedIn' });
    await fail(email, client, 9);
    expect(await logIn(email, { client })).toMatchObject({ outcome: 'loggedIn' });
  });

  test('count for a whole network of IPv6, which one client can have', async () => {
    const email = newEmail();
    for (let count = 1; count <= 10; count += 1) {
      await fail(email, { address: `2001:db8:1:2::${count}`, userAgent: '' }, 1);
    }
    const locked = { address: '2001:db8:1:2:ffff::1', userAgent: '' };
    expect(await logIn(email, { client: locked })).toMatchObject({ outcome: 'locked' });
    const other = { address: '2001:db8:1:3::1', userAgent: '' };
    expect(await logIn(email, { client: other })).toEqual({ outcome: 'refused' });
  });

  test('are all that many parallel guesses come to', async () => {
    const { email } = await makeUser();
    const client = newClient();
    const before = await hashesMade();
    const attempts = propertyCases(60, 2000);
    const guesses = Array.from({ length: attempts }, (_, index) =>
      logIn(email, { password: `guess ${index}`, client }),
    );
    expect(await outcomesOf(guesses)).toEqual({ refused: 10, locked: attempts - 10 });
    expect((await hashesMade()) - before).toBe(10);
  });

  test('are forgotten by the sweep when they no longer count', async () => {
    const { AttemptsModel } = await import('../../../models/identity/attempts.ts');
    const { sweepAccounts } = await import('../../../services/identity/retention.ts');
    await fail(newEmail(), newClient(), 1);
    pass(48 * hour);
    await sweepAccounts();
    expect(await AttemptsModel.countDocuments({})).toBe(0);
  });
});

const strangerOf = (address: string) => ({ ...networksOf(address), isProven: false });

test('a node that has too many passwords to check says so instead of letting everybody wait', async () => {
  const { verifyPassword } = await import('../../../services/identity/accounts/password.ts');
  const cheap = hashOf(goodPassword);
  const work = await Promise.allSettled(
    Array.from({ length: 45 }, (_none, place) => verifyPassword(goodPassword, cheap, strangerOf(`network ${place}`))),
  );
  const refused = work.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect(refused).toHaveLength(2);
  expect(refused[0]).toMatchObject({ type: 'UNAVAILABLE', data: { headers: { 'Retry-After': '2' } } });
  expect(await verifyPassword(goodPassword, cheap, strangerOf('network 1'))).toBe(true);
});

test('a network that has too many passwords to check is told so, and hinders no other', async () => {
  const { verifyPassword } = await import('../../../services/identity/accounts/password.ts');
  const cheap = hashOf(goodPassword);
  const flood = Array.from({ length: 30 }, () => verifyPassword(goodPassword, cheap, strangerOf('flood')));
  const other = verifyPassword(goodPassword, cheap, strangerOf('other'));
  const refused = (await Promise.allSettled(flood)).flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect(refused).toHaveLength(7);
  expect(refused[0]).toMatchObject({ type: 'RATE_LIMITED', data: { headers: { 'Retry-After': '2' } } });
  expect(await other).toBe(true);
});

describe('100 failures in an hour from one network', () => {
  /** Fails once for each of so many accounts, without the cost of checking a password. */
  async function spray(client: ReturnType<typeof newClient>, accounts: number): Promise<number> {
    const { beginLoginAttempt } = await import('../../../services/identity/accounts/login.ts');
    const attempts = Array.from({ length: accounts }, () => beginLoginAttempt(newEmail(), { client }));
    return (await Promise.all(attempts)).filter(({ isLocked }) => !isLocked).length;
  }

  test('are all that there can be, on whatever accounts, known or not', async () => {
    const client = newClient();
    expect(await spray(client, 110)).toBe(100);
    const { email } = await makeUser();
    const before = await hashesMade();
    const known = await logIn(email, { client });
    const unknown = await logIn(newEmail(), { client });
    for (const answer of [known, unknown]) {
      expect(answer).toEqual({ outcome: 'locked', retryAfterSeconds: expect.any(Number) });
    }
    expect(await hashesMade()).toBe(before);
    expect(await logIn(email)).toMatchObject({ outcome: 'loggedIn' });
    pass(hour);
    expect(await logIn(email, { client })).toMatchObject({ outcome: 'loggedIn' });
  });

  test('are not made up of logins that succeed, nor of what was refused without a look at the password', async () => {
    const client = newClient();
    const users = await Promise.all([makeUser(), makeUser(), makeUser()]);
    expect(await spray(client, 98)).toBe(98);
    for (let round = 0; round < 2; round += 1) {
      for (const { email } of users) expect(await logIn(email, { client })).toMatchObject({ outcome: 'loggedIn' });
    }
    const email = newEmail();
    expect(await logIn(email, { client, password: 'wrong' })).toEqual({ outcome: 'refused' });
    // The account is locked out for this network; that costs the network no more.
    const [lockedOut, elsewhere] = [newEmail(), { address: newClient().address, userAgent: '' }];
    await fail(lockedOut, elsewhere, 10);
    for (let count = 0; count < 20; count += 1) await logIn(lockedOut, { client: elsewhere });
    expect(await spray(elsewhere, 100)).toBe(90);
    expect(await spray(client, 5)).toBe(1);
  });

  test('count for a whole network of IPv6', async () => {
    const hosts = Array.from({ length: 150 }, (_none, host) => ({
      address: `2001:db8:9:9::${host + 1}`,
      userAgent: '',
    }));
    const counts = await Promise.all(hosts.map((client) => spray(client, 1)));
    expect(counts.filter(Boolean)).toHaveLength(100);
    expect(await spray({ address: '2001:db8:9:a::1', userAgent: '' }, 1)).toBe(1);
  });
});

describe('guesses at one account from many addresses', () => {
  /** As many failures, of which two are made. */
  async function failFromMany(email: string, count: number): Promise<void> {
    const { attemptsKey } = await import('../../../services/identity/accounts/attempts.ts');
    const { AttemptsModel } = await import('../../../models/identity/attempts.ts');
    await fail(email, inRange(1), 1);
    const _id = attemptsKey('login.account', email);
    const { triedAt } = (await AttemptsModel.findOne({ _id }).lean())!;
    await AttemptsModel.updateOne({ _id }, { $set: { triedAt: Array(count - 1).fill(triedAt[0]) } });
    await fail(email, inRange(2), 1);
  }
  const inRange = (host: number) => ({ address: `2001:dba:${host.toString(16)}:${host}::1`, userAgent: '' });

  test('are twenty in 15 minutes from one /48, whatever its networks', async () => {
    const { email } = await makeUser();
    const networks = Array.from({ length: 80 }, (_none, place) => `2001:db8:77:${place.toString(16)}::1`);
    const outcomes = networks.map((address) => logIn(email, { password: 'wrong', client: { address, userAgent: '' } }));
    expect(await outcomesOf(outcomes)).toEqual({ refused: 20, locked: 60 });
    expect(await logIn(email)).toMatchObject({ outcome: 'loggedIn' });
    pass(15 * minute);
    const client = { address: networks[0]!, userAgent: '' };
    expect(await logIn(email, { client })).toMatchObject({ outcome: 'loggedIn' });
  });

  test('are twenty in 15 minutes from one /24', async () => {
    const email = newEmail();
    for (let host = 1; host <= 20; host += 1) await fail(email, { address: `192.0.2.${host}`, userAgent: '' }, 1);
    expect(await logIn(email, { client: { address: '192.0.2.99', userAgent: '' } })).toMatchObject({
      outcome: 'locked',
    });
    expect(await logIn(email, { client: { address: '192.0.3.1', userAgent: '' } })).toEqual({ outcome: 'refused' });
  });

  test('are fifty in an hour; devices that the account knows and its sessions are let through', async () => {
    const { email, password, caller, sessionToken } = await makeUser();
    const device = await deviceOf(email);
    for (let network = 1; network <= 50; network += 1) await fail(email, inRange(network), 1);
    expect(await logIn(email, { client: inRange(51) })).toMatchObject({ outcome: 'locked' });
    expect(await logIn(newEmail(), { client: inRange(51) })).toEqual({ outcome: 'refused' });
    expect(await logIn(email, { client: inRange(51), device })).toMatchObject({ outcome: 'loggedIn' });
    // The network of the guesses, too.
    expect(await logIn(email, { client: inRange(1), device })).toMatchObject({ outcome: 'loggedIn' });
    const change = { currentPassword: password, newPassword: 'another password of four words' };
    await ask('identity.accounts.change-password', change, { caller, client: inRange(51) });
    expect(await whoIs(sessionToken)).not.toBeNull();
    pass(hour);
    expect(await logIn(email, { client: inRange(51), password: change.newPassword })).toMatchObject({
      outcome: 'loggedIn',
    });
  });

  test('from a known device lock out that device alone, after ten', async () => {
    const { email } = await makeUser();
    const [device, other] = [await deviceOf(email), await deviceOf(email)];
    for (let count = 0; count < 10; count += 1) {
      expect(await logIn(email, { password: 'wrong', device })).toEqual({ outcome: 'refused' });
    }
    expect(await logIn(email, { device })).toMatchObject({ outcome: 'locked' });
    expect(await logIn(email, { device: other })).toMatchObject({ outcome: 'loggedIn' });
    expect(await logIn(email)).toMatchObject({ outcome: 'loggedIn' });
  });

  test.each([
    ['of another account', async () => deviceOf(newEmail())],
    ['with a signature that was changed', async (email: string) => (await deviceOf(email)).replace(/.$/, '~')],
    ['of more than 180 days ago', async (email: string) => await deviceOf(email, -181 * 24 * hour)],
    ['that is no device', async () => '~~~.a~b~c'],
  ])('are not let through from a device %s', async (_which, make) => {
    const email = newEmail();
    const device = await make(email);
    await failFromMany(email, 50);
    expect(await logIn(email, { client: inRange(51), device })).toMatchObject({ outcome: 'locked' });
  });
});

test('a flood from many networks leaves places for known devices, and one range leaves places for others', async () => {
  const { verifyPassword } = await import('../../../services/identity/accounts/password.ts');
  const cheap = hashOf(goodPassword);
  const flood = (networks: string[]) =>
    networks.map((network) => verifyPassword(goodPassword, cheap, strangerOf(network)));
  const ofRange = flood(Array.from({ length: 60 }, (_none, place) => `2001:db8:5:${place.toString(16)}::/64`));
  const others = Array.from({ length: 15 }, (_none, place) => `198.51.${place}.7`);
  expect(await Promise.all(flood(others))).toEqual(Array(15).fill(true));
  expect((await Promise.allSettled(ofRange)).filter(({ status }) => status === 'rejected')).toHaveLength(37);
  const ofMany = flood(Array.from({ length: 60 }, (_none, place) => `2001:db8:${place.toString(16)}:0::/64`));
  const known = others.map((network) =>
    verifyPassword(goodPassword, cheap, { ...strangerOf(network), isProven: true }),
  );
  expect(await Promise.all(known)).toEqual(Array(15).fill(true));
  expect((await Promise.allSettled(ofMany)).filter(({ status }) => status === 'rejected')).toHaveLength(17);
});

test('attempts are counted one by one on any number of nodes', async () => {
  const path = '../../../services/identity/accounts/attempts.ts';
  // Each has a module of its own, as each node has.
  const nodes: typeof import('../../../services/identity/accounts/attempts.ts')[] = await Promise.all(
    [1, 2, 3, 4].map((node) => import(`${path}?node=${node}`)),
  );
  const { nextLoginAttempt } = await import('../../../services/identity/accounts/login.ts');
  const key = newEmail();
  const work = Array.from({ length: 400 }, (_, index) => nodes[index % 4]!.countAttempt(key, nextLoginAttempt));
  const counted = await Promise.all(work);
  expect(new Set(nodes).size).toBe(4);
  expect(counted.filter(({ isAllowed }) => isAllowed)).toHaveLength(10);
});
