import type { Context } from 'moleculer';
import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import type { RequestMeta } from '../../../lib/caller.ts';
import { credentialId } from '../../../lib/caller.ts';
import { call } from '../../../lib/calls.ts';
import { now } from '../../../lib/clock.ts';
import { idPattern, idWithin, newId } from '../../../lib/ids.ts';
import { insertManyUnordered } from '../../../lib/insert-each.ts';
import { nativeCollection } from '../../../lib/native-collection.ts';
import { type AuditRecordDocument, AuditRecordModel, platformLog } from '../../../models/identity/audit-record.ts';
import { recordAnonymousEvent } from './strangers.ts';

const state = z.record(z.string(), z.unknown());
const actor = z.strictObject({
  type: z.enum(['user', 'application', 'system', 'anonymous']),
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
  const { memberships } = await call(ctx, 'access.memberships.of-user', { body: { userId, mayBeStale: true } });
  return memberships.length === 0 ? [platformLog] : memberships.map((membership) => membership.orgId);
}

function actorOf({ caller }: RequestMeta): AuditRecordDocument['actor'] {
  if (!caller) return { type: 'system', id: null, credentialId: null };
  return { type: caller.type, id: caller.id, credentialId: credentialId(caller) };
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.audit.append': typeof appendAuditRecord;
  }
}
