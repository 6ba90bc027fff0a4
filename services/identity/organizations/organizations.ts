import { z } from 'zod';
import { OrganizationModel } from '../../../models/identity/organization.ts';

/** Any text may stand in the path: one that names no organization of the caller's is 404, never 400. */
export const organizationPath = z.strictObject({ slug: z.string() });

/** The id of the organization with this slug; null when there is none. */
export async function orgIdOfSlug(slug: string): Promise<string | null> {
  const organization = await OrganizationModel.findOne({ slug, status: 'active' }, { _id: 1 }).lean();
  return organization?._id ?? null;
}
