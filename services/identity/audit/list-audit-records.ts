import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { exampleId, exampleInstant } from '../../../lib/examples.ts';
import { instantInput, timestamp } from '../../../lib/instant.ts';
import { decodeCursor, pageOf, pageQuery, toPage } from '../../../lib/page.ts';
import { type AuditRecordDocument, AuditRecordModel } from '../../../models/identity/audit-record.ts';
import { organizationPath, orgIdOfSlug } from '../organizations/organizations.ts';

const state = z.record(z.string(), z.unknown()).nullable();
export const auditRecordOutput = z
  .strictObject({
    id: z.string(),
    action: z.string(),
    actor: z.strictObject({
      type: z.enum(['user', 'application', 'system', 'anonymous']),
      id: z.string().nullable(),
      credentialId: z.string().nullable(),
    }),
    target: z.strictObject({ type: z.string(), id: z.string() }),
    address: z.string().nullable(),
    userAgent: z.string().nullable(),
    requestId: z.string().nullable(),
    before: state,
    after: state,
    createdAt: timestamp,
    /** Only in a record that counts the acts of unauthenticated callers within an hour. */
    count: z.int().optional(),
    lastAt: timestamp.optional(),
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

/** GET /organizations/:slug/audit-log: the acts that concern the organization, the newest first. */
export const listAuditRecords = defineAction({
  rest: 'GET /organizations/:slug/audit-log',
  summary: "Read an organization's audit log",
  permission: 'console.audit.read',
  organization: ({ path }) => orgIdOfSlug(path.slug),
  input: {
    path: organizationPath,
    query: z.strictObject({
      ...pageQuery,
      action: filter.optional(),
      actorId: filter.optional(),
      targetId: filter.optional(),
      from: instantInput.optional(),
      to: instantInput.optional(),
    }),
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
    const { action, actorId, targetId, from, to } = query;
    const before = decodeCursor(query.cursor, 1)?.[0];
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
      .limit(query.limit + 1)
      .lean<AuditRecordDocument[]>();
    return toPage(records, query.limit, ({ _id }) => [_id], toAuditRecordResponse);
  },
});

/** An act as shown in its log. */
export function toAuditRecordResponse({
  _id,
  orgId,
  createdAt,
  lastAt,
  ...record
}: AuditRecordDocument): z.output<typeof auditRecordOutput> {
  return { id: _id, ...record, createdAt: createdAt.toISOString(), ...(lastAt && { lastAt: lastAt.toISOString() }) };
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.audit.list': typeof listAuditRecords;
  }
}
