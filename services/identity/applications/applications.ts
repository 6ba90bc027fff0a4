import { z } from 'zod';
import { apiError } from '../../../lib/errors.ts';
import { exampleId, exampleInstant } from '../../../lib/examples.ts';
import { timestamp } from '../../../lib/instant.ts';
import { pathId, pathText } from '../../../lib/path-text.ts';
import { publicName } from '../../../lib/public-names.ts';
import { optionalLines } from '../../../lib/text.ts';
import { type ApplicationDocument, ApplicationModel } from '../../../models/identity/application.ts';
import { slugPattern } from '../slugs.ts';

/** Any text is accepted in the path: one that names no application of the organization is 404, never 400. */
export const applicationPath = z.strictObject({ id: pathId('app') });
export const applicationSlugPath = z.strictObject({ slug: pathText(slugPattern) });

export const applicationName = publicName(100);
/** May have several lines; null or nothing clears it. */
export const applicationDescription = optionalLines(1000)
  .nullable()
  .transform((text) => text ?? '');

/** An application in API responses. Times are ISO 8601 UTC with milliseconds. */
export const applicationOutput = z
  .strictObject({
    id: z.string(),
    slug: z.string(),
    name: z.string(),
    description: z.string(),
    orgId: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Application' });

export const exampleApplication = {
  id: exampleId('app'),
  slug: 'shop-backend',
  name: 'Shop backend',
  description: 'Sends the events of the web shop',
  orgId: exampleId('org'),
  createdAt: exampleInstant,
  updatedAt: exampleInstant,
} satisfies z.input<typeof applicationOutput>;

export function toApplicationResponse(application: ApplicationDocument): z.output<typeof applicationOutput> {
  const { _id: id, slug, name, description, orgId, createdAt, updatedAt } = application;
  const times = { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
  return { id, slug, name, description, orgId, ...times };
}

const noSuchApplication = 'There is no such application in your organization.';

/** Throws NOT_FOUND unless the organization has this application, whether or not another organization has it. */
export async function requireApplication(orgId: string, id: string): Promise<void> {
  const found = await ApplicationModel.findOne({ orgId, _id: id }, { _id: 1 }).lean();
  if (!found) throw apiError('NOT_FOUND', { message: noSuchApplication });
}

/** The organization's application of this slug; throws NOT_FOUND, also for another organization's. */
export async function findApplication(orgId: string, slug: string): Promise<ApplicationDocument> {
  const found = await ApplicationModel.findOne({ orgId, slug }).lean<ApplicationDocument>();
  if (!found) throw apiError('NOT_FOUND', { message: noSuchApplication });
  return found;
}
