import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import type { Ctx } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../lib/contract/examples.ts';
import { decodeCursor, type Page, pageOf, pageQuery, pathId, timestamp, toPage } from '../../lib/contract/input.ts';
import { day, fromNow, now } from '../../lib/data/clock.ts';
import { nativeCollection, removeAcrossTenants } from '../../lib/data/collection.ts';
import { newId } from '../../lib/data/ids.ts';
import { hashToken, tokenHashInput } from '../../lib/security/token-hash.ts';
import { type SessionDocument, SessionModel } from '../../models/identity/session.ts';
import { publishCredentialChange } from './current-rights.ts';
import { recordLogin } from './directory/directory.ts';
import { revokeGrants } from './oauth/grants.ts';

/**
 * The first match counts: browsers also name the browsers that they descend from, for compatibility with old servers.
 */
const browsers: [pattern: RegExp, name: string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bCriOS\/|\bChrome\/|\bChromium\//, 'Chrome'],
  [/\bVersion\/.*\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
];

const systems: [pattern: RegExp, name: string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
];

/** The name of a device whose User-Agent has neither a known browser nor a known system. */
export const unknownDevice = 'Unknown device';

/**
 * A short name that identifies a browser to people, from its User-Agent: `Firefox on Linux`; at worst `Unknown device`.
 */
export function deviceName(userAgent: string): string {
  const browser = nameOf(browsers, userAgent);
  const system = nameOf(systems, userAgent);
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? unknownDevice;
}

function nameOf(patterns: [RegExp, string][], userAgent: string): string | undefined {
  return patterns.find(([pattern]) => pattern.test(userAgent))?.[1];
}

const slidingLifetime = 30 * day;
const absoluteLifetime = 90 * day;
const tokenBytes = 16;

/** The new expiry of a session that is used now: in 30 days, but not after its 90 days. */
export function extendExpiry({ absoluteExpiresAt }: Pick<SessionDocument, 'absoluteExpiresAt'>): Date {
  const expiresAt = fromNow(slidingLifetime);
  return expiresAt < absoluteExpiresAt ? expiresAt : absoluteExpiresAt;
}

/**
 * Logs a user in: creates a session with a token of 128 random bits, which is in this answer and stored nowhere. Always
 * a new session, also if the browser has a cookie, to prevent session fixation (OWASP ASVS 5.0, 7.2.4).
 */
export async function createSession(ctx: Ctx, userId: string): Promise<{ token: string; session: SessionDocument }> {
  const token = randomBytes(tokenBytes).toString('base64url');
  const at = now();
  const absoluteExpiresAt = fromNow(absoluteLifetime);
  const session: SessionDocument = {
    _id: newId('ses'),
    userId,
    tokenHash: hashToken(token),
    authenticatedAt: at,
    lastUsedAt: at,
    expiresAt: extendExpiry({ absoluteExpiresAt }),
    absoluteExpiresAt,
    address: ctx.meta.client?.address ?? '',
    userAgent: ctx.meta.client?.userAgent ?? '',
    createdAt: at,
  };
  await nativeCollection<SessionDocument>(SessionModel).insertOne(session);
  await recordLogin(userId, at);
  await recordAuditEvent(ctx, {
    action: 'session.created',
    userId,
    actor: { type: 'user', id: userId },
    target: { type: 'session', id: session._id },
  });
  return { token, session };
}

export type SessionFilter =
  | { tokenHash: string }
  | { userId: string; sessionId: string }
  | { userId: string; exceptSessionId?: string | undefined };

/**
 * Ends the sessions that match, with the grants of clients through them; returns how many. With `orgId`, an
 * administrator of that organization ends them, and only its log records that: the others do not learn who it was.
 */
export async function endSessions(ctx: Ctx, filter: SessionFilter, orgId?: string): Promise<number> {
  const sessions = await SessionModel.find(conditionOf(filter)).lean<SessionDocument[]>();
  let ended = 0;
  for (const { _id, userId, tokenHash } of sessions) {
    const { deletedCount } = await SessionModel.deleteOne({ _id });
    ended += deletedCount;
    await revokeGrants(ctx, { sessionId: _id });
    await publishCredentialChange(ctx, { tokenHash });
    if (deletedCount === 0) continue;
    await recordAuditEvent(ctx, { action: 'session.revoked', ...revocationOf(ctx, { _id, userId }, orgId) });
  }
  return ended;
}

function revocationOf(ctx: Ctx, { _id, userId }: Pick<SessionDocument, '_id' | 'userId'>, orgId: string | undefined) {
  if (orgId !== undefined) return { orgId, target: { type: 'user', id: userId }, before: { sessionId: _id } };
  const actor = ctx.meta.caller ? {} : { actor: { type: 'user' as const, id: userId } };
  return { userId, ...actor, target: { type: 'session', id: _id } };
}

function conditionOf(filter: SessionFilter): object {
  if ('tokenHash' in filter) return { tokenHash: filter.tokenHash };
  if ('sessionId' in filter) return { userId: filter.userId, _id: filter.sessionId };
  return { userId: filter.userId, ...(filter.exceptSessionId && { _id: { $ne: filter.exceptSessionId } }) };
}

/** `identity.sessions.end`, for the gateway's logout: ends the session of this hash. Idempotent. */
export const endSession = defineAction({
  summary: 'End a session',
  permission: 'internal',
  input: { body: z.strictObject({ tokenHash: tokenHashInput }) },
  output: z.void(),
  async handler({ body: { tokenHash }, ctx }) {
    await endSessions(ctx, { tokenHash });
  },
});

/** A session as its user sees it. `lastUsedAt` is exact to a minute; `address` and `userAgent` are of the login. */
export const sessionOutput = z
  .strictObject({
    id: z.string(),
    device: z.string().describe('The browser and the system, for people.'),
    userAgent: z.string().describe('The User-Agent header of the login.'),
    address: z.string().describe('The IP address of the login.'),
    createdAt: timestamp.describe('When the user signed in.'),
    lastUsedAt: timestamp,
    expiresAt: timestamp,
    current: z.boolean().describe('Whether it is the session of this request.'),
  })
  .meta({ id: 'Session' });

export const exampleSession = {
  id: exampleId('ses'),
  device: 'Firefox on Linux',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:148.0) Gecko/20100101 Firefox/148.0',
  address: '203.0.113.7',
  createdAt: exampleInstant,
  lastUsedAt: exampleInstant,
  expiresAt: '2026-04-01T09:30:00.000Z',
  current: true,
} satisfies z.input<typeof sessionOutput>;

/** GET /identity/me/sessions: where the user is logged in, the newest login first. */
export const listSessions = defineAction({
  rest: 'GET /identity/me/sessions',
  summary: 'List your sessions',
  description: 'Returns the browsers in which the user is signed in, the newest login first.',
  permission: 'session',
  input: { query: z.strictObject(pageQuery) },
  output: pageOf(sessionOutput),
  errors: ['CURSOR_INVALID'],
  example: {
    query: { limit: '20' },
    output: {
      data: [
        {
          ...exampleSession,
          id: exampleId('ses', 'phone'),
          device: 'Firefox on Android',
          userAgent: 'Mozilla/5.0 (Android 16; Mobile; rv:148.0) Gecko/148.0 Firefox/148.0',
          address: '198.51.100.24',
          current: false,
        },
        exampleSession,
      ],
      nextCursor: null,
    },
  },
  handler: ({ query, caller: { id: userId, sessionId } }) => pageOfSessions(userId, query, sessionId),
});

/** One page of a user's sessions. `currentId`: the session of the request. */
export async function pageOfSessions(
  userId: string,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
  currentId: string | undefined,
): Promise<Page<z.output<typeof sessionOutput>>> {
  const before = decodeCursor(cursor, 1)?.[0];
  const older = before === undefined ? {} : { _id: { $lt: before } };
  const sessions = await SessionModel.find({ userId, ...older, expiresAt: { $gt: now() } })
    .sort({ _id: -1 })
    .limit(limit + 1)
    .lean<SessionDocument[]>();
  return toPage(
    sessions,
    limit,
    ({ _id }) => [_id],
    (session) => toSessionResponse(session, currentId),
  );
}

/** @param currentId the session of the request */
export function toSessionResponse(
  session: SessionDocument,
  currentId: string | undefined,
): z.output<typeof sessionOutput> {
  const { _id: id, userAgent, address, createdAt, lastUsedAt, expiresAt } = session;
  return {
    id,
    device: deviceName(userAgent),
    userAgent,
    address,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    current: id === currentId,
  };
}

/** DELETE /identity/me/sessions: ends all sessions of the user except the session of the request. */
export const revokeOtherSessions = defineAction({
  rest: 'DELETE /identity/me/sessions',
  summary: 'End all your other sessions',
  description:
    'Ends all sessions of the user except the one of this request, together with the access that applications got ' +
    'through them. Without other sessions it changes nothing.',
  permission: 'session',
  input: {},
  output: z.void(),
  example: {},
  async handler({ caller: { id: userId, sessionId }, ctx }) {
    await endSessions(ctx, { userId, exceptSessionId: sessionId });
  },
});

/** DELETE /identity/me/sessions/:id: ends a session, possibly the session of the request. */
export const revokeSession = defineAction({
  rest: 'DELETE /identity/me/sessions/:id',
  summary: 'End one of your sessions',
  description:
    'Ends one session of the user, possibly the one of this request, together with the access that applications ' +
    'got through it.',
  permission: 'session',
  input: { path: z.strictObject({ id: pathId('ses').describe('The id of the session (`ses_…`).') }) },
  output: z.void(),
  errors: ['NOT_FOUND'],
  example: { path: { id: exampleId('ses', 'phone') } },
  async handler({ path: { id: sessionId }, caller, ctx }) {
    const ended = await endSessions(ctx, { userId: caller.id, sessionId });
    if (ended === 0) throw apiError('NOT_FOUND', { message: 'You have no such session, or it has ended already.' });
  },
});

/** Removes the sessions that have expired; for the scheduled sweep. */
export async function sweepSessions(signal: AbortSignal): Promise<void> {
  await removeAcrossTenants(SessionModel, { expiresAt: { $lte: now() } }, signal);
}
