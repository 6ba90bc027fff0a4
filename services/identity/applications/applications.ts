import { z } from 'zod';
import { fail } from '../../../lib/errors.ts';
import { ApplicationModel } from '../../../models/identity/application.ts';

/** Any text may stand in the path: one that names no application of the caller's organization is 404, never 400. */
export const applicationPath = z.strictObject({ id: z.string() });

/** Throws NOT_FOUND unless the organization has this application; another organization's is no different from none. */
export async function requireApplication(orgId: string, id: string): Promise<void> {
  const found = await ApplicationModel.findOne({ orgId, _id: id }, { _id: 1 }).lean();
  if (!found) throw fail('NOT_FOUND', { message: 'There is no such application in your organization.' });
}
