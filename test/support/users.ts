import { randomBytes } from 'node:crypto';
import { day, fromNow, now } from '../../lib/data/clock.ts';
import { newId } from '../../lib/data/ids.ts';
import { hashToken } from '../../lib/security/token-hash.ts';
import type { SessionDocument } from '../../models/identity/session.ts';
import type { UserDocument } from '../../models/identity/user.ts';
import { newUser } from '../../services/identity/accounts/new-user.ts';
import { type Client, clientOf } from './client.ts';
import { withDatabase } from './database.ts';

/** A user of a test's own, logged in. */
export type User = { userId: string; email: string; password: string; sessionId: string; sessionToken: string };

/** One password for all users of a run, and its hash at the cost that tests run with. */
export const testPassword = 'a long password of a test';
const testPasswordHash = '$scrypt$ln=8,r=8,p=5$yiCGQbAo2im1PV2VsTtFig$UophHwXNlfEioDwALtYXJnvxEhjVBQ9qxMo0Rqbp8h8';

/** Makes a user with a session straight in the database of a platform that has started; a member of no organization. */
export async function insertUser(databaseUrl: string, email = newEmail()): Promise<User> {
  const user = newUser({ email, passwordHash: testPasswordHash });
  const { token, session } = newSession(user._id);
  await withDatabase(databaseUrl, async (database) => {
    await database.collection<UserDocument>('identity_users').insertOne(user);
    await database.collection<SessionDocument>('identity_sessions').insertOne(session);
  });
  return { userId: user._id, email, password: testPassword, sessionId: session._id, sessionToken: token };
}

/** Gives a user who has done nothing yet another email. */
export async function renameUser(databaseUrl: string, user: User, email: string): Promise<User> {
  const { contacts } = newUser({ email, passwordHash: '' });
  await withDatabase(databaseUrl, (database) =>
    database.collection<UserDocument>('identity_users').updateOne({ _id: user.userId }, { $set: { email, contacts } }),
  );
  return { ...user, email };
}

const newEmail = (): string => `${randomBytes(8).toString('hex')}@example.com`;

function newSession(userId: string): { token: string; session: SessionDocument } {
  const token = randomBytes(16).toString('base64url');
  const at = now();
  const session: SessionDocument = {
    _id: newId('ses'),
    userId,
    tokenHash: hashToken(token),
    authenticatedAt: at,
    lastUsedAt: at,
    expiresAt: fromNow(30 * day),
    absoluteExpiresAt: fromNow(90 * day),
    address: '127.0.0.1',
    userAgent: '',
    createdAt: at,
  };
  return { token, session };
}

/** A client that sends a session's cookie and the origin of the platform's own pages, as a browser does. */
export function sessionClientOf(url: string, sessionToken: string, publicUrl = url): Client {
  const client = clientOf({ url, orgId: '', apiKey: '' });
  const defaults = {
    authorization: null,
    'x-tenant-id': null,
    cookie: `platform_session=${sessionToken}`,
    origin: new URL(publicUrl).origin,
  };
  return {
    ...client,
    attempt: (name, parts, headers) => client.attempt(name, parts, { ...defaults, ...headers }),
    send: (method, path, body, headers) => client.send(method, path, body, { ...defaults, ...headers }),
    call: (name, input, headers) => client.call(name, input, { ...defaults, ...headers }),
  };
}
