import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { now } from '../../../lib/clock.ts';
import { decodeCursor, pageOf, pageQuery, toPage } from '../../../lib/page.ts';
import { type SessionDocument, SessionModel } from '../../../models/identity/session.ts';
import { deviceName } from './device-name.ts';

/** A session as its user sees it. `lastUsedAt` is exact to a minute; `address` and `userAgent` are of the login. */
export const sessionOutput = z.strictObject({
  id: z.string(),
  device: z.string(),
  userAgent: z.string(),
  address: z.string(),
  createdAt: z.string(),
  lastUsedAt: z.string(),
  expiresAt: z.string(),
  current: z.boolean(),
});

/** GET /identity/me/sessions: where the user is logged in, the newest login first. */
export const listSessions = defineAction({
  rest: 'GET /identity/me/sessions',
  summary: 'List your sessions',
  permission: 'session',
  input: { query: z.strictObject(pageQuery) },
  output: pageOf(sessionOutput),
  errors: ['CURSOR_INVALID'],
  async handler({ query, caller: { id: userId, sessionId } }) {
    const before = decodeCursor(query.cursor, 1)?.[0];
    const older = before === undefined ? {} : { _id: { $lt: before } };
    const sessions = await SessionModel.find({ userId, ...older, expiresAt: { $gt: now() } })
      .sort({ _id: -1 })
      .limit(query.limit + 1)
      .lean<SessionDocument[]>();
    return toPage(
      sessions,
      query.limit,
      ({ _id }) => [_id],
      (session) => showSession(session, sessionId),
    );
  },
});

/** @param currentId the session of the request */
export function showSession(session: SessionDocument, currentId: string | undefined): z.output<typeof sessionOutput> {
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

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.sessions.list': typeof listSessions;
  }
}
