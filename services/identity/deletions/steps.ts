import { recordAuditEvent } from '../../../lib/audit.ts';
import type { Ctx } from '../../../lib/caller.ts';
import { call } from '../../../lib/calls.ts';
import { now } from '../../../lib/clock.ts';
import { recordErasure } from '../../../lib/erasure-records.ts';
import { ApiKeyModel } from '../../../models/identity/api-key.ts';
import { ApplicationModel } from '../../../models/identity/application.ts';
import { AuditRetentionModel } from '../../../models/identity/audit-retention.ts';
import type { DeletionDocument } from '../../../models/identity/deletion.ts';
import { InvitationModel } from '../../../models/identity/invitation.ts';
import { OrganizationModel } from '../../../models/identity/organization.ts';
import { publishCredentialChange } from '../announce.ts';
import { removeOAuthClients } from '../oauth-clients/remove-clients.ts';
import { deleteReservations } from '../reservations.ts';

export type Step = (ctx: Ctx, deletion: DeletionDocument) => Promise<void>;

/**
 * The application itself goes first, so that nothing can be added to it: the creation of a key or a client checks
 * afterwards that the application still exists.
 */
export const stepsOfApplication: Record<string, Step> = {
  application: async (_ctx, { orgId, _id }) => {
    await ApplicationModel.deleteOne({ orgId, _id });
  },
  'api-keys': (ctx, { orgId, _id }) => revokeApiKeys(ctx, { orgId, applicationId: _id }),
  'oauth-client': (ctx, { orgId, _id }) => removeOAuthClients(ctx, { orgId, applicationId: _id }),
  assignments: async (ctx, { orgId, _id }) => {
    await call(ctx, 'access.subjects.remove', { body: { orgId, subject: _id } });
  },
};

/** The steps of identity itself, before every service erases its data of the organization. */
export const stepsOfOrganization: Record<string, Step> = {
  // First of all: no user joins, and nothing is created in, an organization that is not active.
  organization: async (_ctx, { orgId, createdAt }) => {
    await recordErasure({ _id: orgId, kind: 'organization', orgId, identifiers: null, erasedAt: createdAt });
    await disableOrganization(orgId);
  },
  applications: async (_ctx, { orgId }) => {
    await ApplicationModel.deleteMany({ orgId });
  },
  'api-keys': (ctx, { orgId }) => revokeApiKeys(ctx, { orgId }),
  'oauth-clients': (ctx, { orgId }) => removeOAuthClients(ctx, { orgId }),
  memberships: async (ctx, { orgId }) => {
    await call(ctx, 'access.organizations.close', { body: { orgId } });
  },
  invitations: async (_ctx, { orgId }) => {
    await InvitationModel.deleteMany({ orgId });
  },
  reservations: (_ctx, { orgId }) => deleteReservations(orgId),
  'audit-retention': async (_ctx, { orgId }) => {
    await AuditRetentionModel.deleteOne({ _id: orgId, orgId });
  },
};

/** After this step no caller can act in the organization; the rest is cleanup. */
export const lastUrgentStep = 'memberships';

/** Ends all access of an organization's members. */
export async function disableOrganization(orgId: string): Promise<void> {
  await OrganizationModel.updateOne(
    { _id: orgId, status: 'active' },
    { $set: { status: 'deleting', updatedAt: now() } },
  );
}

/** Revokes the keys in force; they are kept as a record. */
async function revokeApiKeys(ctx: Ctx, filter: { orgId: string; applicationId?: string }): Promise<void> {
  const inForce = { ...filter, revokedAt: null };
  const keys = await ApiKeyModel.find(inForce, { tokenHash: 1 }).lean();
  const revokedAt = now();
  await ApiKeyModel.updateMany(inForce, { $set: { revokedAt, updatedAt: revokedAt } });
  for (const { tokenHash } of keys) await publishCredentialChange(ctx, { tokenHash });
}

/**
 * Keeps the slug taken and the log readable for the operator, and removes everything else. The act is recorded first: a
 * crash in between records it twice, but never loses it.
 */
export async function writeTombstone(ctx: Ctx, { orgId }: DeletionDocument): Promise<void> {
  const deleting = { _id: orgId, status: 'deleting' } as const;
  if (!(await OrganizationModel.exists(deleting))) return;
  await recordAuditEvent(ctx, { action: 'organization.erased', orgId, target: { type: 'organization', id: orgId } });
  await OrganizationModel.updateOne(deleting, {
    $set: { status: 'deleted', name: '', updatedAt: now() },
    $unset: { createdBy: 1 },
  });
}
