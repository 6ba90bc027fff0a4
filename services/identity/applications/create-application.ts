import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import type { Ctx } from '../../../lib/caller.ts';
import { now } from '../../../lib/clock.ts';
import { isDuplicateKey } from '../../../lib/database-errors.ts';
import { apiError } from '../../../lib/errors.ts';
import { nativeCollection } from '../../../lib/native-collection.ts';
import type { Operation } from '../../../lib/operation.ts';
import { type LimitsNow, limitsOf, requireRoom } from '../../../lib/plan-limits.ts';
import { type ApplicationDocument, ApplicationModel } from '../../../models/identity/application.ts';
import { isOrganizationActive } from '../organizations/organizations.ts';
import { insertWithinLimit } from '../reservations.ts';
import { newSlug } from '../slugs.ts';
import {
  applicationDescription,
  applicationName,
  applicationOutput,
  exampleApplication,
  toApplicationResponse,
} from './applications.ts';

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
  errors: ['SLUG_TAKEN', 'PLAN_LIMIT_EXCEEDED'],
  idempotent: {
    async resume({ caller: { orgId }, operation, ctx }) {
      const made = { orgId, _id: operation.newId('app') };
      const application = await ApplicationModel.findOne(made).lean<ApplicationDocument>();
      return application && (await complete(ctx, operation, application));
    },
  },
  example: {
    body: {
      name: exampleApplication.name,
      slug: exampleApplication.slug,
      description: exampleApplication.description,
    },
    output: exampleApplication,
  },
  async handler({ body: { name, slug, description = '' }, caller: { orgId }, operation, ctx }) {
    const at = now();
    const application = { _id: operation.newId('app'), orgId, slug, name, description, createdAt: at, updatedAt: at };
    await insertWithinPlan(application, await limitsOf(ctx, orgId));
    return await complete(ctx, operation, application);
  },
});

async function insertWithinPlan(application: ApplicationDocument, limits: LimitsNow): Promise<void> {
  const { _id, orgId, slug } = application;
  await insertWithinLimit({
    holderId: orgId,
    kind: 'applications',
    resourceId: _id,
    count: (except) => ApplicationModel.countDocuments({ orgId, _id: { $nin: except } }),
    refuse: () => refuseTaken(slug),
    requireRoom: (present) => requireRoom(limits, { orgId, name: 'applications', present }),
    insert: () => insertApplication(application),
    remove: () => ApplicationModel.deleteOne({ orgId, _id }),
  });
}

/** The unique index decides; but a slug that is taken is refused before the limit. */
async function refuseTaken(slug: string): Promise<void> {
  const found = await ApplicationModel.findOne({ slug }, { _id: 1 }, { acrossTenants: true }).lean();
  if (found) throw apiError('SLUG_TAKEN');
}

async function insertApplication(application: ApplicationDocument): Promise<void> {
  try {
    await nativeCollection<ApplicationDocument>(ApplicationModel).insertOne(application);
  } catch (error) {
    throw isDuplicateKey(error) ? apiError('SLUG_TAKEN') : error;
  }
}

/** Completes the operation after the insert. Idempotent. */
async function complete(
  ctx: Ctx,
  operation: Operation,
  application: ApplicationDocument,
): Promise<z.output<typeof applicationOutput>> {
  await removeIfOrphan(application);
  const { _id, orgId, slug, name, description } = application;
  await recordAuditEvent(ctx, {
    id: operation.newId('aud'),
    action: 'application.created',
    orgId,
    target: { type: 'application', id: _id },
    after: { slug, name, description },
  });
  return toApplicationResponse(application);
}

/** A deletion of the organization that began before the application was made has not seen it. */
async function removeIfOrphan({ orgId, _id }: ApplicationDocument): Promise<void> {
  if (await isOrganizationActive(orgId)) return;
  await ApplicationModel.deleteOne({ orgId, _id });
  throw apiError('CREDENTIAL_INVALID');
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.applications.create': typeof createApplication;
  }
}
