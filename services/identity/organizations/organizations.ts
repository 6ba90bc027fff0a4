import { z } from 'zod';
import type { Caller } from '../../../lib/caller.ts';
import { apiError, inputError } from '../../../lib/errors.ts';
import { exampleId, exampleInstant } from '../../../lib/examples.ts';
import { timestamp } from '../../../lib/instant.ts';
import { pathText } from '../../../lib/path-text.ts';
import { brandProblem, holdsBrand, publicName } from '../../../lib/public-names.ts';
import { type SystemRole, systemRoles } from '../../../lib/roles.ts';
import { type OrganizationDocument, OrganizationModel } from '../../../models/identity/organization.ts';
import { slugPattern } from '../slugs.ts';

/** Any text is accepted in the path: one that names none of the caller's organizations is 404, never 400. */
export const organizationPath = z.strictObject({ slug: pathText(slugPattern) });

export const organizationName = publicName(100);

/** Throws INPUT_INVALID when an organization would have the platform's own name. */
export function refuseBrand(name: string): void {
  if (holdsBrand(name)) throw inputError([{ path: 'body.name', message: brandProblem }]);
}

/** An organization in API responses; `role` is the user's in it, and absent for an application. */
export const organizationOutput = z
  .strictObject({
    id: z.string(),
    slug: z.string(),
    name: z.string(),
    role: z.enum(systemRoles).optional(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Organization' });

export const exampleOrganization = {
  id: exampleId('org'),
  slug: 'acme-bikes',
  name: 'Acme Bikes',
  role: 'owner',
  createdAt: exampleInstant,
  updatedAt: exampleInstant,
} satisfies z.input<typeof organizationOutput>;

export function toOrganizationResponse(
  { _id: id, slug, name, createdAt, updatedAt }: OrganizationDocument,
  role?: SystemRole,
): z.output<typeof organizationOutput> {
  const times = { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
  return { id, slug, name, ...(role && { role }), ...times };
}

/** The id of the organization with this slug; null when there is none. */
export async function orgIdOfSlug(slug: string): Promise<string | null> {
  const organization = await OrganizationModel.findOne({ slug, status: 'active' }, { _id: 1 }).lean();
  return organization?._id ?? null;
}

/** Whether an organization exists and is not being deleted. */
export async function isOrganizationActive(orgId: string): Promise<boolean> {
  return (await OrganizationModel.findOne({ _id: orgId, status: 'active' }, { _id: 1 }).lean()) !== null;
}

/** The organization; throws NOT_FOUND when it is gone or being deleted. */
export async function findOrganization(orgId: string): Promise<OrganizationDocument> {
  const found = await OrganizationModel.findOne({ _id: orgId, status: 'active' }).lean<OrganizationDocument>();
  if (!found) throw apiError('NOT_FOUND');
  return found;
}

/** The user's role in the organization of the call; undefined for an application. */
export function roleOf(caller: Caller): SystemRole | undefined {
  if (caller.type === 'application') return undefined;
  return caller.memberships.find(({ orgId }) => orgId === caller.orgId)?.role;
}
