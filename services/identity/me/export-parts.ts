import type { Context } from 'moleculer';
import { z } from 'zod';
import { timestamp } from '../../../lib/instant.ts';
import { systemRoles } from '../../../lib/roles.ts';
import { type AuditRecordDocument, AuditRecordModel, platformLog } from '../../../models/identity/audit-record.ts';
import { type OAuthConsentDocument, OAuthConsentModel } from '../../../models/identity/oauth-consent.ts';
import { type OrganizationDocument, OrganizationModel } from '../../../models/identity/organization.ts';
import { type SessionDocument, SessionModel } from '../../../models/identity/session.ts';
import { auditRecordOutput, toAuditRecordResponse } from '../audit/list-audit-records.ts';
import { findMembership, membershipsOf } from '../organizations/memberships.ts';

type CallContext = Pick<Context, 'call'>;

/** More rows than fit into an export in any case. */
const maxRows = 2000;

export const membershipOutput = z.strictObject({
  orgId: z.string(),
  slug: z.string().nullable(),
  name: z.string().nullable(),
  role: z.enum(systemRoles),
  createdAt: timestamp,
  updatedAt: timestamp,
});

/** The scopes that a user has allowed an application's client. */
export const applicationOutput = z.strictObject({
  clientId: z.string(),
  scopes: z.array(z.string()),
  createdAt: timestamp,
  updatedAt: timestamp,
});

/** `log` is the organization whose log holds the act, or `platform`. */
export const ownAuditRecordOutput = auditRecordOutput.extend({ log: z.string() });

/** The newest organization first. */
export async function readMemberships(ctx: CallContext, userId: string): Promise<z.output<typeof membershipOutput>[]> {
  const ids = (await membershipsOf(ctx, userId)).map(({ orgId }) => orgId).reverse();
  const organizations = await OrganizationModel.find({ _id: { $in: ids } }).lean<OrganizationDocument[]>();
  const organizationsById = new Map(organizations.map((organization) => [organization._id, organization]));
  const memberships = await Promise.all(ids.map((orgId) => findMembership(ctx, orgId, userId)));
  return memberships.flatMap((membership, index) => {
    if (!membership) return [];
    const { role, createdAt, updatedAt } = membership;
    const orgId = ids[index] as string;
    const { slug = null, name = null } = organizationsById.get(orgId) ?? {};
    return [{ orgId, slug, name, role, createdAt, updatedAt }];
  });
}

/** The newest first, also those that have expired and await the sweep. */
export function readSessions(userId: string): Promise<SessionDocument[]> {
  return SessionModel.find({ userId }).sort({ _id: -1 }).limit(maxRows).lean<SessionDocument[]>();
}

export async function readApplications(userId: string): Promise<z.output<typeof applicationOutput>[]> {
  const consents = await OAuthConsentModel.find({ userId })
    .sort({ _id: -1 })
    .limit(maxRows)
    .lean<OAuthConsentDocument[]>();
  return consents.map(({ clientId, scopes, ...times }) => ({ clientId, scopes, ...isoTimes(times) }));
}

/** The user's acts, the newest first, from the logs of their organizations and of the platform. */
export async function readOwnAuditRecords(
  ctx: CallContext,
  userId: string,
): Promise<z.output<typeof ownAuditRecordOutput>[]> {
  const logs = [platformLog, ...(await membershipsOf(ctx, userId)).map(({ orgId }) => orgId)];
  let newest: AuditRecordDocument[] = [];
  for (const orgId of logs) {
    const records = await AuditRecordModel.find({ orgId, 'actor.id': userId })
      .sort({ _id: -1 })
      .limit(maxRows)
      .lean<AuditRecordDocument[]>();
    newest = [...newest, ...records].sort(byNewest).slice(0, maxRows);
  }
  return newest.map((record) => ({ ...toAuditRecordResponse(record), log: record.orgId }));
}

function byNewest(one: AuditRecordDocument, other: AuditRecordDocument): number {
  return one._id < other._id ? 1 : -1;
}

function isoTimes({ createdAt, updatedAt }: { createdAt: Date; updatedAt: Date }) {
  return { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}
