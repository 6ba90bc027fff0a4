import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { now } from '../../../lib/clock.ts';
import { exampleId, exampleInstant } from '../../../lib/examples.ts';
import { timestamp } from '../../../lib/instant.ts';
import { decodeCursor, pageOf, pageQuery, toPage } from '../../../lib/page.ts';
import { type SessionDocument, SessionModel } from '../../../models/identity/session.ts';
import { deviceName } from './device-name.ts';

/** A session as its user sees it. `lastUsedAt` is exact to a minute; `address` and `userAgent` are of the login. */
export const sessionOutput = z
  .strictObject({
    id: z.string(),
    device: z.string(),
    userAgent: z.string(),
    address: z.string(),
    createdAt: timestamp,
    lastUsedAt: timestamp,
    expiresAt: timestamp,
    current: z.boolean(),
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
      (session) => toSessionResponse(session, sessionId),
    );
  },
});

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

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.sessions.list': typeof listSessions;
  }
}
