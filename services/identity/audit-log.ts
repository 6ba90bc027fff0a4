import type { Context } from 'moleculer';
import { z } from 'zod';
import { call, credentialId, type RequestMeta } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../lib/contract/examples.ts';
import { decodeCursor, pageOf, pageQuery, pathId, timeRange, timestamp, toPage } from '../../lib/contract/input.ts';
import { hour, now } from '../../lib/data/clock.ts';
import {
  insertIfAbsent,
  insertManyUnordered,
  nativeCollection,
  removeAcrossTenants,
} from '../../lib/data/collection.ts';
import { idPattern, idWithin, newId } from '../../lib/data/ids.ts';
import { networkOf } from '../../lib/net/address.ts';
import { sign } from '../../lib/security/encryption.ts';
import {
  type AuditRecordDocument,
  AuditRecordModel,
  actorTypes,
  platformLog,
} from '../../models/identity/audit-record.ts';
import { type AuditWindowDocument, AuditWindowModel } from '../../models/identity/audit-window.ts';
import { organizationPath, orgIdOfSlug } from './organizations.ts';

const windowMilliseconds = hour;
/** The maximum for one action in one log and window. */
const maxRecords = 100;

/** The target of a record that counts acts on many targets. */
const manyTargets = { type: 'various', id: 'various' };

type AnonymousEvent = Omit<AuditRecordDocument, '_id' | 'count' | 'lastAt'>;

/**
 * Adds an act of a caller without a credential to a log: acts of one kind on one target from one network within an hour
 * are one record that counts them. A log takes 100 such records of an action an hour; one more counts all others. So
 * unauthenticated callers add a bounded number of records, and every act is counted.
 */
export async function recordAnonymousEvent(act: AnonymousEvent): Promise<void> {
  const { orgId, action, target, address } = act;
  const start = Math.floor(act.createdAt.getTime() / windowMilliseconds) * windowMilliseconds;
  const expiresAt = new Date(start + 2 * windowMilliseconds);
  const keyOf = (...what: unknown[]): string =>
    sign('identity.audit-window', JSON.stringify([orgId, action, start, ...what]));
  const own = keyOf('record', target.type, target.id, networkOf(address ?? ''));
  const existingId = await findRecordId(own);
  const isOwn = existingId !== null || (await takePlace(keyOf('places'), expiresAt));
  const recordId = existingId ?? (await nameRecord(isOwn ? own : keyOf('others'), expiresAt));
  await count(recordId, isOwn ? act : { ...act, target: manyTargets, address: null, userAgent: null, requestId: null });
}

/** Removes past windows; for the scheduled sweep. */
export async function sweepAuditWindows(signal?: AbortSignal): Promise<void> {
  await removeAcrossTenants(AuditWindowModel, { expiresAt: { $lte: now() } }, signal);
}

/** Reserves a place for one more record; false when the maximum is reached. */
async function takePlace(_id: string, expiresAt: Date): Promise<boolean> {
  const first = { _id, recordId: null, records: 1, expiresAt };
  if (await insertIfAbsent<AuditWindowDocument>(AuditWindowModel, first)) return true;
  const mayTake = { _id, records: { $lt: maxRecords } };
  const { modifiedCount } = await AuditWindowModel.updateOne(mayTake, { $inc: { records: 1 } });
  return modifiedCount === 1;
}

/** The id of the record that counts under a key: the same on every node. */
async function nameRecord(_id: string, expiresAt: Date): Promise<string> {
  const recordId = newId('aud');
  const isFirst = await insertIfAbsent<AuditWindowDocument>(AuditWindowModel, {
    _id,
    recordId,
    records: 0,
    expiresAt,
  });
  return isFirst ? recordId : ((await findRecordId(_id)) ?? recordId);
}

async function findRecordId(_id: string): Promise<string | null> {
  const window = await AuditWindowModel.findOne({ _id }, { recordId: 1 }).lean();
  return window?.recordId ?? null;
}

/** Inserts the record or increments its count in one write, so that a crash cannot lose a count. */
async function count(_id: string, act: AnonymousEvent): Promise<void> {
  const { orgId, createdAt: lastAt } = act;
  if (await insertIfAbsent<AuditRecordDocument>(AuditRecordModel, { _id, ...act, count: 1, lastAt })) return;
  await AuditRecordModel.updateOne({ orgId, _id }, { $inc: { count: 1 }, $set: { lastAt } });
}

const state = z.record(z.string(), z.unknown());
const actor = z.strictObject({
  type: z.enum(actorTypes),
  id: z.string().nullable(),
});

/**
 * `identity.audit.append`, for every service by `recordAuditEvent`: adds an act to an organization's log, or, for a
 * user, to the logs of all their organizations. Acts of anonymous actors are counted instead of recorded one by one.
 */
export const appendAuditRecord = defineAction({
  summary: 'Add a record to the audit log',
  permission: 'internal',
  input: {
    body: z.strictObject({
      /** For an operation that may be run again: a record with an id that exists is not added. */
      id: z.string().regex(idPattern('aud')).optional(),
      action: z.string().regex(/^[a-z-]+\.[a-z-]+$/),
      orgId: z.string().optional(),
      userId: z.string().optional(),
      actor: actor.optional(),
      target: z.strictObject({ type: z.string(), id: z.string() }),
      before: state.optional(),
      after: state.optional(),
    }),
  },
  output: z.void(),
  async handler({ body: { id, action, orgId, userId, target, before = null, after = null, ...body }, ctx }) {
    const { meta } = ctx;
    const shared = {
      action,
      actor: body.actor ? { ...body.actor, credentialId: null } : actorOf(meta),
      target,
      address: meta.client?.address ?? null,
      userAgent: meta.client?.userAgent ?? null,
      requestId: ctx.requestID,
      before,
      after,
      createdAt: now(),
    };
    const logs = await logsFor(ctx, orgId, userId);
    if (shared.actor.type === 'anonymous') {
      await Promise.all(logs.map((log) => recordAnonymousEvent({ orgId: log, ...shared })));
      return;
    }
    const idIn = (log: string) => (id === undefined ? newId('aud') : idWithin(id, log));
    const records = logs.map((log): AuditRecordDocument => ({ _id: idIn(log), orgId: log, ...shared }));
    await insertManyUnordered(nativeCollection<AuditRecordDocument>(AuditRecordModel), records);
  },
});

async function logsFor(ctx: Context, orgId: string | undefined, userId: string | undefined): Promise<string[]> {
  if (orgId !== undefined) return [orgId];
  if (userId === undefined) return [platformLog];
  // A completed act is recorded in any case, so a stale list of memberships is accepted.
  const { memberships } = await call(ctx, 'access.memberships.of-user', {
    body: { userId, mayBeStale: true, withSuspended: true },
  });
  return memberships.length === 0 ? [platformLog] : memberships.map((membership) => membership.orgId);
}

function actorOf({ caller, actsAsOperator }: RequestMeta): AuditRecordDocument['actor'] {
  if (!caller) return { type: 'system', id: null, credentialId: null };
  return { type: actsAsOperator ? 'operator' : caller.type, id: caller.id, credentialId: credentialId(caller) };
}

const recordedState = z.record(z.string(), z.unknown()).nullable();
export const auditRecordOutput = z
  .strictObject({
    id: z.string().describe('The id of the record (`aud_…`).'),
    action: z.string().describe('What was done, such as `api-key.created`.'),
    actor: z
      .strictObject({
        type: z
          .enum(actorTypes)
          .describe(
            '`operator`: a user of the platform’s own staff. `system`: the platform itself. `anonymous`: a request without a credential.',
          ),
        id: z.string().nullable().describe('The id of the user or application; null for others.'),
        credentialId: z
          .string()
          .nullable()
          .describe('The id of the session, API key or OAuth client; null for others.'),
      })
      .describe('Who did it.'),
    target: z
      .strictObject({
        type: z.string().describe('The kind of the resource, such as `api-key`.'),
        id: z.string().describe('The id of the resource.'),
      })
      .describe('What it was done to.'),
    address: z.string().nullable().describe('The IP address of the request; null without one, and for operators.'),
    userAgent: z.string().nullable().describe('The program of the request; null without one, and for operators.'),
    requestId: z.string().nullable().describe('The id of the request; null without a request.'),
    before: recordedState.describe('The values before; null if none are recorded.'),
    after: recordedState.describe('The values after; null if none are recorded.'),
    createdAt: timestamp,
    count: z
      .int()
      .optional()
      .describe('In a record that counts requests without a credential: how many there were within the hour.'),
    lastAt: timestamp
      .optional()
      .describe('In a record that counts requests without a credential: when the last one was.'),
  })
  .meta({ id: 'AuditRecord' });

export const exampleAuditRecord = {
  id: exampleId('aud'),
  action: 'api-key.created',
  actor: { type: 'user', id: exampleId('usr'), credentialId: exampleId('ses') },
  target: { type: 'api-key', id: exampleId('key') },
  address: '203.0.113.7',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:148.0) Gecko/20100101 Firefox/148.0',
  requestId: exampleId('req'),
  before: null,
  after: {
    name: 'Production',
    scopes: ['context.events.write', 'context.story.read'],
    expiresAt: '2027-03-02T09:30:00.000Z',
    applicationId: exampleId('app'),
  },
  createdAt: exampleInstant,
} satisfies z.input<typeof auditRecordOutput>;

const filter = z.string().min(1).max(100);

/** The filters of the log, for queries. They can be combined. */
const auditFilters = {
  action: filter.optional().describe('Only this action, such as `api-key.created`.'),
  actorId: filter.optional().describe('Only what this user or application did.'),
  targetId: filter.optional().describe('Only what was done to the resource with this id.'),
  ...timeRange,
};

type AuditFilters = z.output<z.ZodObject<typeof auditFilters>>;

/** Reads a page of the records that match the filters, the newest first. */
export async function readAuditPage(
  orgId: string,
  { action, actorId, targetId, from, to }: AuditFilters,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
) {
  const before = decodeCursor(cursor, 1)?.[0];
  const time = { ...(from && { $gte: from }), ...(to && { $lt: to }) };
  const records = await AuditRecordModel.find({
    orgId,
    ...(action !== undefined && { action }),
    ...(actorId !== undefined && { 'actor.id': actorId }),
    ...(targetId !== undefined && { 'target.id': targetId }),
    ...((from || to) && { createdAt: time }),
    ...(before !== undefined && { _id: { $lt: before } }),
  })
    .sort({ _id: -1 })
    .limit(limit + 1)
    .lean<AuditRecordDocument[]>();
  return toPage(records, limit, ({ _id }) => [_id], toRecordOfLog);
}

/** GET /organizations/:slug/audit-log: the acts that concern the organization, the newest first. */
export const listAuditRecords = defineAction({
  rest: 'GET /organizations/:slug/audit-log',
  summary: "Read an organization's audit log",
  description:
    'Returns the security-relevant actions in the organization, the newest first: who did what to which resource, ' +
    'from where, and the values before and after. The filters can be combined; `from` is inclusive, `to` is ' +
    'exclusive. Records are kept for the days that the plan includes.',
  permission: 'console.audit.read',
  organization: ({ path }) => orgIdOfSlug(path.slug),
  input: {
    path: organizationPath,
    query: z.strictObject({ ...pageQuery, ...auditFilters }),
  },
  output: pageOf(auditRecordOutput),
  errors: ['NOT_FOUND', 'CURSOR_INVALID'],
  example: {
    path: { slug: 'acme-bikes' },
    query: {
      limit: '20',
      action: 'api-key.created',
      from: '2026-03-01T00:00:00.000Z',
      to: '2026-04-01T00:00:00.000Z',
    },
    output: { data: [exampleAuditRecord], nextCursor: null },
  },
  async handler({ query, caller: { orgId } }) {
    return await readAuditPage(orgId, query, query);
  },
});

/** GET /organizations/:slug/audit-log/:recordId: one act that concerns the organization. */
export const readAuditRecord = defineAction({
  rest: 'GET /organizations/:slug/audit-log/:recordId',
  summary: 'Read a record of the audit log',
  description:
    'Returns one record of the audit log. A record of another organization, or one that is older than the days that ' +
    'the plan includes, is `NOT_FOUND`.',
  permission: 'console.audit.read',
  organization: ({ path }) => orgIdOfSlug(path.slug),
  input: { path: organizationPath.extend({ recordId: pathId('aud').describe('The id of the record (`aud_…`).') }) },
  output: auditRecordOutput,
  errors: ['NOT_FOUND'],
  example: { path: { slug: 'acme-bikes', recordId: exampleAuditRecord.id }, output: exampleAuditRecord },
  async handler({ path: { recordId }, caller: { orgId } }) {
    const record = await AuditRecordModel.findOne({ orgId, _id: recordId }).lean<AuditRecordDocument>();
    if (!record) throw apiError('NOT_FOUND', { message: 'The audit log has no such record.' });
    return toRecordOfLog(record);
  },
});

/** An act as shown in the log of an organization, which is not told where the platform’s own staff works. */
function toRecordOfLog(record: AuditRecordDocument): z.output<typeof auditRecordOutput> {
  const response = toAuditRecordResponse(record);
  return record.actor.type === 'operator' ? { ...response, address: null, userAgent: null } : response;
}

/** An act as shown to who did it. */
export function toAuditRecordResponse({
  _id,
  orgId,
  createdAt,
  lastAt,
  ...record
}: AuditRecordDocument): z.output<typeof auditRecordOutput> {
  return { id: _id, ...record, createdAt: createdAt.toISOString(), ...(lastAt && { lastAt: lastAt.toISOString() }) };
}
