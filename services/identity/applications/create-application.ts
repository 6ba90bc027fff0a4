import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAct } from '../../../lib/audit.ts';
import { now } from '../../../lib/clock.ts';
import { isDuplicateKey } from '../../../lib/database-errors.ts';
import { fail } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import { nativeCollection } from '../../../lib/native-collection.ts';
import { type ApplicationDocument, ApplicationModel } from '../../../models/identity/application.ts';
import { isOrganizationActive } from '../organizations/organizations.ts';
import { newSlug } from '../slugs.ts';
import { applicationDescription, applicationName, applicationOutput, showApplication } from './applications.ts';

/** POST /applications: makes an application. Its slug is unique on the whole platform and never changes. */
export const createApplication = defineAction({
  rest: 'POST /applications',
  summary: 'Create an application',
  permission: 'console.apps.write',
  input: {
    body: z.strictObject({
      name: applicationName,
      slug: newSlug,
      description: applicationDescription.optional(),
    }),
  },
  output: applicationOutput,
  status: 201,
  errors: ['SLUG_TAKEN'],
  idempotent: true,
  async handler({ body: { name, slug, description = '' }, caller: { orgId }, ctx }) {
    const at = now();
    const application = { _id: newId('app'), orgId, slug, name, description, createdAt: at, updatedAt: at };
    await insertApplication(application);
    await recordAct(ctx, {
      action: 'application.created',
      orgId,
      target: { type: 'application', id: application._id },
      after: { slug, name, description },
    });
    return showApplication(application);
  },
});

/** Looks after the insert whether the organization still stands: a deletion that began before has not seen this one. */
async function insertApplication(application: ApplicationDocument): Promise<void> {
  const { orgId, _id } = application;
  try {
    await nativeCollection<ApplicationDocument>(ApplicationModel).insertOne(application);
  } catch (error) {
    throw isDuplicateKey(error) ? fail('SLUG_TAKEN') : error;
  }
  if (await isOrganizationActive(orgId)) return;
  await ApplicationModel.deleteOne({ orgId, _id });
  throw fail('CREDENTIAL_INVALID');
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.applications.create': typeof createApplication;
  }
}
