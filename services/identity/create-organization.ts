import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import { permissionDenied } from '../../lib/contract/authorize.ts';
import { type Ctx, call, type UserCaller } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { defineCommand } from '../../lib/contract/define-command.ts';
import { apiError } from '../../lib/contract/errors.ts';
import type { Operation } from '../../lib/contract/idempotency.ts';
import { allows } from '../../lib/contract/permissions.ts';
import { fromNow, minute, now } from '../../lib/data/clock.ts';
import { nativeCollection } from '../../lib/data/collection.ts';
import { isDuplicateKey } from '../../lib/data/database-errors.ts';
import { settings } from '../../lib/settings/settings.ts';
import { type OrganizationDocument, OrganizationModel } from '../../models/identity/organization.ts';
import { beginDeletion } from './deletions.ts';
import { enterDirectory } from './directory/directory.ts';
import {
  exampleOrganization,
  newSlug,
  organizationName,
  organizationOutput,
  rejectBrand,
  toOrganizationResponse,
} from './organizations.ts';
import { insertWithinLimit } from './reservations.ts';
import { isActiveUser } from './users.ts';

type Unfounded = Pick<OrganizationDocument, '_id'> & {
  pendingFounder: NonNullable<OrganizationDocument['pendingFounder']>;
};

/** Makes the founder in an organization's document its owner, and clears the founder. Idempotent. */
export async function found(ctx: Ctx, { _id: orgId, pendingFounder: { userId } }: Unfounded): Promise<void> {
  await call(ctx, 'access.organizations.found', { body: { orgId, userId } });
  await enterDirectory(orgId, userId);
  // A deletion of the user that began before has not seen this organization: delete it too.
  if (!(await isActiveUser(userId))) {
    await beginDeletion({ _id: orgId, kind: 'organization', orgId });
  }
  await OrganizationModel.updateOne({ _id: orgId }, { $set: { pendingFounder: null } });
}

/** Founds the organizations whose process died before the owner was set. */
export async function sweepUnfinishedInitializations(ctx: Ctx): Promise<void> {
  const unfinished = { status: 'active' as const, 'pendingFounder.at': { $lte: fromNow(-minute) } };
  const organizations = await OrganizationModel.find(unfinished).lean<OrganizationDocument[]>();
  for (const { _id, pendingFounder } of organizations) {
    if (pendingFounder) await found(ctx, { _id, pendingFounder });
  }
}

/** The scope that a client needs in addition to `profile`. */
const requiredScope = 'console.orgs.write';

/** Every call inside the platform carries the caller with all their memberships. */
const maxOrganizations = 100;

/**
 * POST /organizations: creates an organization that the user owns. Its slug is unique on the platform and never
 * changes. A client that acts for the user needs `console.orgs.write` in addition to `profile`.
 */
export const createOrganization = defineAction({
  rest: 'POST /organizations',
  summary: 'Create an organization and become its owner',
  description:
    'Creates an organization, whose owner is the user of the credential. The slug is unique on the whole platform ' +
    'and never changes (`SLUG_TAKEN`). A user can create and join a limited number of organizations ' +
    '(`LIMIT_REACHED`). An access token also needs `console.orgs.write`.',
  permission: 'user',
  input: { body: z.strictObject({ name: organizationName, slug: newSlug }).meta({ id: 'OrganizationInput' }) },
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
  async handler({ body: { name, slug }, caller, operation, ctx }) {
    const { id: userId, memberships } = caller;
    if (caller.granted && !allows(caller.granted, requiredScope)) throw permissionDenied(caller, requiredScope);
    rejectBrand(name);
    rejectTooMany(memberships);
    const organization = newOrganization({ _id: operation.newId('org'), name, slug, userId });
    await insertWithinUsersLimit(organization);
    return await complete(ctx, operation, organization);
  },
});

function rejectTooMany(memberships: UserCaller['memberships']): void {
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

/** Stores and records whether an organization is trusted; false where there is no such organization. */
export async function setTrust(ctx: Ctx, orgId: string, isTrusted: boolean): Promise<boolean> {
  const { matchedCount } = await OrganizationModel.updateOne({ _id: orgId, status: 'active' }, { $set: { isTrusted } });
  if (matchedCount === 0) return false;
  // Also when nothing changed: an earlier run may have crashed before it was recorded.
  await recordAuditEvent(ctx, {
    action: isTrusted ? 'organization.trusted' : 'organization.untrusted',
    orgId,
    target: { type: 'organization', id: orgId },
  });
  return true;
}

/**
 * `identity.console.trust`, for the console: whether browsers are sent to the origins of an organization's OAuth
 * clients without confirmation. It takes effect immediately on every node, because it is not cached.
 */
export const trustOrganization = defineCommand({
  commands: [
    {
      usage: 'identity:trust <organization>',
      description: 'Let browsers return to the OAuth clients of an organization (org_…) without a confirmation',
      changes: true,
      fields: { organization: 'orgId' },
      fixed: { isTrusted: true },
    },
    {
      usage: 'identity:untrust <organization>',
      description: 'Require a confirmation before browsers return to the OAuth clients of an organization (org_…)',
      changes: true,
      fields: { organization: 'orgId' },
      fixed: { isTrusted: false },
    },
  ],
  body: z.strictObject({ orgId: z.string(), isTrusted: z.boolean() }),
  async handler({ body: { orgId, isTrusted }, ctx }) {
    if (!(await setTrust(ctx, orgId, isTrusted))) return { lines: [`There is no organization ${orgId}.`] };
    const trusted = await OrganizationModel.distinct('_id', { isTrusted: true, status: 'active' });
    return {
      lines: [
        isTrusted
          ? `${orgId} is trusted: browsers return to the origins of its OAuth clients without confirmation.`
          : `${orgId} is not trusted: users must confirm before a browser returns to its OAuth clients.`,
        `Trusted organizations: ${trusted.length === 0 ? 'none' : trusted.sort().join(', ')}.`,
      ],
    };
  },
});
