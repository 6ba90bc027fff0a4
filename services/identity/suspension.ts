import { z } from 'zod';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { timestamp } from '../../lib/contract/input.ts';
import { createFindBatcher } from '../../lib/data/batched-access.ts';
import { type OrganizationDocument, OrganizationModel } from '../../models/identity/organization.ts';

/** Why an organization is suspended, as its members read it. */
export const suspensionOutput = z
  .strictObject({
    since: timestamp.describe('When the operator of the platform suspended the organization.'),
    reason: z.string().describe('The reason that the operator gave, which members of the organization read.'),
  })
  .meta({ id: 'Suspension' });

/** The suspension of an organization in answers; null while it is in force. */
export function toSuspension({
  suspension,
}: Pick<OrganizationDocument, 'suspension'>): z.output<typeof suspensionOutput> | null {
  return suspension ? { since: suspension.at.toISOString(), reason: suspension.reason } : null;
}

/** Reads what decides whether members can act in an organization, in one query for all of a turn of the event loop. */
const find = createFindBatcher<OrganizationDocument>(OrganizationModel, '_id', ['suspension', 'maxSessionHours']);

/** The standing of an organization; null when there is none. */
export const findStanding = (orgId: string): ReturnType<typeof find> => find(null, orgId);

/**
 * Whether an organization is suspended. Read from the database each time, so that the cache of a gateway is the only
 * one between a suspension and a request.
 */
export async function isSuspended(orgId: string): Promise<boolean> {
  return Boolean((await findStanding(orgId))?.suspension);
}

/**
 * Throws ORGANIZATION_SUSPENDED while an organization is suspended: before an invitation is accepted, or a credential
 * created that outlives the cached caller.
 */
export async function requireInForce(orgId: string): Promise<void> {
  if (await isSuspended(orgId)) throw apiError('ORGANIZATION_SUSPENDED');
}

/** `identity.organizations.standing`, for services that serve without a credential: whether it is suspended. */
export const readStanding = defineAction({
  summary: 'Tell whether an organization is suspended',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ orgId: z.string() }) },
  output: z.strictObject({ isSuspended: z.boolean() }),
  handler: async ({ body: { orgId } }) => ({ isSuspended: await isSuspended(orgId) }),
});
