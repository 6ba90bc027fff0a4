import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import type { Ctx, UserCaller } from '../../../lib/caller.ts';
import { now } from '../../../lib/clock.ts';
import { isDuplicateKey } from '../../../lib/database-errors.ts';
import { apiError } from '../../../lib/errors.ts';
import { nativeCollection } from '../../../lib/native-collection.ts';
import type { Operation } from '../../../lib/operation.ts';
import { allows } from '../../../lib/permissions.ts';
import { settings } from '../../../lib/settings.ts';
import { type OrganizationDocument, OrganizationModel } from '../../../models/identity/organization.ts';
import { insertWithinLimit } from '../reservations.ts';
import { newSlug } from '../slugs.ts';
import { found } from './founding.ts';
import {
  exampleOrganization,
  organizationName,
  organizationOutput,
  refuseBrand,
  toOrganizationResponse,
} from './organizations.ts';

/** Every call inside the platform carries the caller with all their memberships. */
const maxOrganizations = 100;

/**
 * POST /organizations: creates an organization that the user owns. Its slug is unique on the platform and never
 * changes. A client that acts for the user needs `console.orgs.write` in addition to `profile`.
 */
export const createOrganization = defineAction({
  rest: 'POST /organizations',
  summary: 'Create an organization and become its owner',
  permission: 'user',
  input: { body: z.strictObject({ name: organizationName, slug: newSlug }) },
  output: organizationOutput,
  status: 201,
  errors: ['SLUG_TAKEN', 'LIMIT_REACHED'],
  idempotent: {
    async resume({ operation, ctx }) {
      const made = { _id: operation.newId('org'), status: 'active' as const };
      const organization = await OrganizationModel.findOne(made).lean<OrganizationDocument>();
      return organization && (await complete(ctx, operation, organization));
    },
  },
  example: {
    body: { name: exampleOrganization.name, slug: exampleOrganization.slug },
    output: exampleOrganization,
  },
  async handler({ body: { name, slug }, caller: { id: userId, memberships, granted }, operation, ctx }) {
    if (granted && !allows(granted, 'console.orgs.write')) throw apiError('PERMISSION_DENIED');
    refuseBrand(name);
    refuseTooMany(memberships);
    const organization = newOrganization({ _id: operation.newId('org'), name, slug, userId });
    await insertWithinUsersLimit(organization);
    return await complete(ctx, operation, organization);
  },
});

function refuseTooMany(memberships: UserCaller['memberships']): void {
  if (memberships.length < maxOrganizations) return;
  throw apiError('LIMIT_REACHED', { message: `You can belong to ${maxOrganizations} organizations; leave one first.` });
}

/**
 * The organization's document names its founder. If the process dies before access control has the owner, the sweep
 * passes it on within a minute or two, so that no slug stays without an owner.
 */
function newOrganization({ userId, ...fields }: { _id: string; name: string; slug: string; userId: string }) {
  const at = now();
  return {
    ...fields,
    status: 'active' as const,
    pendingFounder: { userId, at },
    createdBy: userId,
    createdAt: at,
    updatedAt: at,
  };
}

type NewOrganization = ReturnType<typeof newOrganization>;

/** Free organizations cost the platform memory and disk, so their number for a user is limited. */
async function insertWithinUsersLimit(organization: NewOrganization): Promise<void> {
  const { _id, createdBy } = organization;
  const [limit, status] = [settings.ORGANIZATIONS_PER_USER, 'active' as const];
  await insertWithinLimit({
    holderId: createdBy,
    kind: 'organizations',
    resourceId: _id,
    count: (except) => OrganizationModel.countDocuments({ createdBy, status, _id: { $nin: except } }),
    refuse: async () => {
      if (await OrganizationModel.exists({ slug: organization.slug })) throw apiError('SLUG_TAKEN');
    },
    requireRoom: (present) => {
      if (present < limit) return;
      throw apiError('LIMIT_REACHED', { message: `You can create at most ${limit} organizations; delete one first.` });
    },
    insert: () => insert(organization),
    remove: () => OrganizationModel.deleteOne({ _id }),
  });
}

async function insert(organization: NewOrganization): Promise<void> {
  try {
    await nativeCollection<OrganizationDocument>(OrganizationModel).insertOne(organization);
  } catch (error) {
    throw isDuplicateKey(error) ? apiError('SLUG_TAKEN') : error;
  }
}

/** Completes the operation after the insert. Idempotent. */
async function complete(ctx: Ctx, operation: Operation, organization: OrganizationDocument) {
  const { _id, slug, name, pendingFounder } = organization;
  if (pendingFounder) await found(ctx, { _id, pendingFounder });
  await recordAuditEvent(ctx, {
    id: operation.newId('aud'),
    action: 'organization.created',
    orgId: _id,
    target: { type: 'organization', id: _id },
    after: { slug, name },
  });
  return toOrganizationResponse(organization, 'owner');
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.organizations.create': typeof createOrganization;
  }
}
