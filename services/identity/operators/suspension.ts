import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { recordAuditEvent } from '../../../lib/clients/audit.ts';
import type { Ctx } from '../../../lib/contract/context.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { defineCommand } from '../../../lib/contract/define-command.ts';
import { singleLine } from '../../../lib/contract/input.ts';
import { now, second } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';
import { type OrganizationDocument, OrganizationModel } from '../../../models/identity/organization.ts';
import { publishCredentialChange } from '../current-rights.ts';
import { findOrganization } from '../organizations.ts';
import { exampleDetails, exampleSuspension, operatedDetails, operatedPath, readDetails } from './organizations.ts';

/** The longest time for which a gateway or a service may hold an older answer about an organization. */
const maxCacheAge = second;

const reasonInput = singleLine(500);

/**
 * Suspends an organization; one that is suspended keeps its reason. When this resolves, no request with a credential of
 * the organization succeeds on any node: the notification may be lost, so it waits until no cache can hold the answer of
 * before. The second notification ends open streams that were checked against such an answer.
 *
 * @throws NOT_FOUND
 */
export async function suspendOrganization(ctx: Ctx, orgId: string, reason: string): Promise<void> {
  const at = now();
  const inForce = { _id: orgId, status: 'active' as const, suspension: null };
  const suspension = { at, reason, recordId: newId('aud') };
  await OrganizationModel.updateOne(inForce, { $set: { suspension, updatedAt: at } });
  const found = await findOrganization(orgId);
  // Restored at the same time.
  if (!found.suspension) return;
  await recordSuspension(ctx, orgId, found.suspension);
  await publishCredentialChange(ctx, { orgId });
  await wait(maxCacheAge);
  await publishCredentialChange(ctx, { orgId });
}

/** Also when it was suspended before: an earlier run may have crashed before it was recorded. */
async function recordSuspension(
  ctx: Ctx,
  orgId: string,
  { recordId, reason }: NonNullable<OrganizationDocument['suspension']>,
): Promise<void> {
  const target = { type: 'organization', id: orgId };
  await recordAuditEvent(ctx, { id: recordId, action: 'organization.suspended', orgId, target, after: { reason } });
}

/**
 * Ends the suspension of an organization; one that is in force stays as it is. The act is recorded first: a crash in
 * between records it twice, but never loses it.
 *
 * @throws NOT_FOUND
 */
export async function restoreOrganization(ctx: Ctx, orgId: string): Promise<void> {
  const { suspension } = await findOrganization(orgId);
  if (suspension) {
    const { at, reason } = suspension;
    await recordAuditEvent(ctx, {
      action: 'organization.restored',
      orgId,
      target: { type: 'organization', id: orgId },
      before: { reason, since: at.toISOString() },
    });
    const same = { _id: orgId, 'suspension.recordId': suspension.recordId };
    await OrganizationModel.updateOne(same, { $unset: { suspension: 1 }, $set: { updatedAt: now() } });
  }
  await publishCredentialChange(ctx, { orgId });
}

/** POST /operator/organizations/:orgId/suspend: refuses everything that acts for an organization. */
export const suspend = defineAction({
  rest: 'POST /operator/organizations/:orgId/suspend',
  summary: 'Suspend an organization',
  description:
    'Refuses everything that acts for the organization with `ORGANIZATION_SUSPENDED`: API keys, access tokens, ' +
    'sessions of its members where they act in it, visitors of its websites, public files and signed addresses. No ' +
    'tokens are issued for it. When the answer arrives, this is so on every node, which takes a second. Its data ' +
    'stays, and so do jobs on it. Members log in as before, and read the reason. It is recorded in the audit log of ' +
    'the organization. An organization that is suspended keeps its first reason.',
  permission: 'operator',
  input: {
    path: operatedPath,
    body: z
      .strictObject({ reason: reasonInput.describe('Why, for the members of the organization, in one line.') })
      .meta({ id: 'SuspensionInput' }),
  },
  output: operatedDetails,
  errors: ['NOT_FOUND'],
  example: {
    path: { orgId: exampleDetails.id },
    body: { reason: exampleSuspension.reason },
    output: { ...exampleDetails, suspension: exampleSuspension },
  },
  async handler({ path: { orgId }, body: { reason }, ctx }) {
    await suspendOrganization(ctx, orgId, reason);
    return await readDetails(ctx, orgId);
  },
});

/** POST /operator/organizations/:orgId/restore: ends a suspension. */
export const restore = defineAction({
  rest: 'POST /operator/organizations/:orgId/restore',
  summary: 'End the suspension of an organization',
  description:
    'Ends the suspension of an organization: its credentials work again within a second, and none has to be created ' +
    'again. It is recorded in the audit log of the organization. A repeated call changes nothing.',
  permission: 'operator',
  input: { path: operatedPath },
  output: operatedDetails,
  errors: ['NOT_FOUND'],
  example: { path: { orgId: exampleDetails.id }, output: exampleDetails },
  async handler({ path: { orgId }, ctx }) {
    await restoreOrganization(ctx, orgId);
    return await readDetails(ctx, orgId);
  },
});

/** `identity.console.suspend`, for the console: suspends an organization. */
export const suspendByCommand = defineCommand({
  commands: [
    {
      usage: 'identity:suspend-organization <organization> <reason>',
      description: 'Refuse everything that acts for an organization (org_…); its members read the reason, in quotes',
      changes: true,
      fields: { organization: 'orgId' },
    },
  ],
  body: z.strictObject({ orgId: z.string(), reason: z.string() }),
  async handler({ body: { orgId, reason: typed }, ctx }) {
    const reason = reasonInput.safeParse(typed);
    if (!reason.success) return { lines: ['The reason must be one line of 1 to 500 characters.'] };
    const before = await find(orgId);
    if (!before) return { lines: [`There is no organization ${orgId}.`] };
    await suspendOrganization(ctx, orgId, reason.data);
    if (before.suspension) return { lines: [`${orgId} already was suspended: ${before.suspension.reason}`] };
    return { lines: [`${orgId} is suspended: no credential acts for it, and its files and websites are closed.`] };
  },
});

/** `identity.console.restore`, for the console: ends the suspension of an organization. */
export const restoreByCommand = defineCommand({
  commands: [
    {
      usage: 'identity:restore-organization <organization>',
      description: 'End the suspension of an organization (org_…)',
      changes: true,
      fields: { organization: 'orgId' },
    },
  ],
  body: z.strictObject({ orgId: z.string() }),
  async handler({ body: { orgId }, ctx }) {
    const before = await find(orgId);
    if (!before) return { lines: [`There is no organization ${orgId}.`] };
    await restoreOrganization(ctx, orgId);
    return { lines: [before.suspension ? `${orgId} is in force again.` : `${orgId} was not suspended.`] };
  },
});

function find(orgId: string): Promise<OrganizationDocument | null> {
  return OrganizationModel.findOne({ _id: orgId, status: 'active' }).lean<OrganizationDocument>().exec();
}

export const suspensionActions = {
  'operator.organizations.suspend': suspend,
  'operator.organizations.restore': restore,
  'console.suspend': suspendByCommand,
  'console.restore': restoreByCommand,
};
