import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import { type LimitsNow, limitsOf, requireRoom } from '../../lib/clients/plan-limits.ts';
import type { Ctx } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../lib/contract/examples.ts';
import type { Operation } from '../../lib/contract/idempotency.ts';
import {
  decodeCursor,
  optionalLines,
  pageOf,
  pageQuery,
  pathId,
  pathText,
  timestamp,
  toPage,
} from '../../lib/contract/input.ts';
import { now } from '../../lib/data/clock.ts';
import { nativeCollection } from '../../lib/data/collection.ts';
import { isDuplicateKey } from '../../lib/data/database-errors.ts';
import { publicName } from '../../lib/format/public-names.ts';
import { type ApplicationDocument, ApplicationModel } from '../../models/identity/application.ts';
import { beginDeletion, runDeletion } from './deletions.ts';
import { isOrganizationActive, newSlug, slugPattern } from './organizations.ts';
import { insertWithinLimit } from './reservations.ts';

/** Any text is accepted in the path: one that names no application of the organization is 404, never 400. */
export const applicationPath = z.strictObject({ id: pathId('app').describe('The id of the application (`app_…`).') });
export const applicationSlugPath = z.strictObject({
  slug: pathText(slugPattern).describe('The slug of the application.'),
});

const applicationName = publicName(100);
/** May have several lines; null or nothing clears it. */
const applicationDescription = optionalLines(1000)
  .nullable()
  .transform((text) => text ?? '');

/** An application in API responses. Times are ISO 8601 UTC with milliseconds. */
const applicationOutput = z
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

const exampleApplication = {
  id: exampleId('app'),
  slug: 'shop-backend',
  name: 'Shop backend',
  description: 'Sends the events of the web shop',
  orgId: exampleId('org'),
  createdAt: exampleInstant,
  updatedAt: exampleInstant,
} satisfies z.input<typeof applicationOutput>;

function toApplicationResponse(application: ApplicationDocument): z.output<typeof applicationOutput> {
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

/** `identity.applications.exists`, for access control: whether an organization has this application. */
export const checkApplication = defineAction({
  summary: 'Check whether an organization has an application',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ orgId: z.string(), applicationId: z.string() }) },
  output: z.strictObject({ exists: z.boolean() }),
  async handler({ body: { orgId, applicationId } }) {
    const found = await ApplicationModel.findOne({ orgId, _id: applicationId }, { _id: 1 }).lean();
    return { exists: found !== null };
  },
});

/** POST /applications: makes an application. Its slug is unique on the whole platform and never changes. */
export const createApplication = defineAction({
  rest: 'POST /applications',
  summary: 'Create an application',
  description:
    'Creates an application: the owner of API keys, of an OAuth client and of roles. Its slug is unique on the ' +
    'whole platform and never changes (`SLUG_TAKEN`). An application beyond the plan is refused with ' +
    '`PLAN_LIMIT_EXCEEDED`.',
  permission: 'console.apps.write',
  input: {
    body: z
      .strictObject({
        name: applicationName,
        slug: newSlug,
        description: applicationDescription.optional(),
      })
      .meta({ id: 'ApplicationInput' }),
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
    refuse: () => rejectTaken(slug),
    requireRoom: (present) => requireRoom(limits, { orgId, name: 'applications', present }),
    insert: () => insertApplication(application),
    remove: () => ApplicationModel.deleteOne({ orgId, _id }),
  });
}

/** The unique index decides; but a slug that is taken is refused before the limit. */
async function rejectTaken(slug: string): Promise<void> {
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

/**
 * DELETE /applications/:slug: deletes an application, its OAuth client with its grants, and revokes its API keys,
 * possibly including the key of the request. The sweep completes a deletion that a crash interrupted.
 */
export const deleteApplication = defineAction({
  rest: 'DELETE /applications/:slug',
  summary: 'Delete an application',
  description:
    'Deletes an application with its API keys, its OAuth client and its roles. Its credentials stop working ' +
    'immediately, possibly including the one of this request. This cannot be undone.',
  permission: 'console.apps.write',
  input: { path: applicationSlugPath },
  output: z.void(),
  errors: ['NOT_FOUND'],
  example: { path: { slug: exampleApplication.slug } },
  async handler({ path: { slug }, caller: { orgId }, ctx }) {
    const { _id, name, description } = await findApplication(orgId, slug);
    const deletion = await beginDeletion({ _id, kind: 'application', orgId });
    // A concurrent request deletes it already.
    if (!deletion) return;
    await recordAuditEvent(ctx, {
      action: 'application.deleted',
      orgId,
      target: { type: 'application', id: _id },
      before: { slug, name, description },
    });
    await runDeletion(ctx, deletion);
  },
});

/** GET /applications: the applications of the organization, the newest first. */
export const listApplications = defineAction({
  rest: 'GET /applications',
  summary: "List the organization's applications",
  description: 'Returns the applications of the organization, the newest first.',
  permission: 'console.apps.read',
  input: { query: z.strictObject(pageQuery) },
  output: pageOf(applicationOutput),
  errors: ['CURSOR_INVALID'],
  example: {
    query: { limit: '20' },
    output: { data: [exampleApplication], nextCursor: null },
  },
  async handler({ query, caller: { orgId } }) {
    const before = decodeCursor(query.cursor, 1)?.[0];
    const older = before === undefined ? {} : { _id: { $lt: before } };
    const applications = await ApplicationModel.find({ orgId, ...older })
      .sort({ _id: -1 })
      .limit(query.limit + 1)
      .lean<ApplicationDocument[]>();
    return toPage(applications, query.limit, ({ _id }) => [_id], toApplicationResponse);
  },
});

/** GET /applications/:slug: one application of the organization. */
export const readApplication = defineAction({
  rest: 'GET /applications/:slug',
  summary: 'Read an application',
  description: 'Returns one application of the organization. The application of another organization is `NOT_FOUND`.',
  permission: 'console.apps.read',
  input: { path: applicationSlugPath },
  output: applicationOutput,
  errors: ['NOT_FOUND'],
  example: { path: { slug: exampleApplication.slug }, output: exampleApplication },
  async handler({ path: { slug }, caller: { orgId } }) {
    return toApplicationResponse(await findApplication(orgId, slug));
  },
});

/** PATCH /applications/:slug: changes the name or the description; null clears the latter. */
export const updateApplication = defineAction({
  rest: 'PATCH /applications/:slug',
  summary: 'Change an application',
  description:
    'Changes the name or the description of an application; null clears the description. The slug never changes.',
  permission: 'console.apps.write',
  input: {
    path: applicationSlugPath,
    body: z
      .strictObject({ name: applicationName.optional(), description: applicationDescription.optional() })
      .meta({ id: 'ApplicationUpdateInput' }),
  },
  output: applicationOutput,
  errors: ['NOT_FOUND'],
  example: {
    path: { slug: exampleApplication.slug },
    body: { name: 'Shop backend', description: 'Sends events and reads customer stories' },
    output: {
      ...exampleApplication,
      description: 'Sends events and reads customer stories',
      updatedAt: '2026-03-05T14:00:00.000Z',
    },
  },
  async handler({ path: { slug }, body, caller: { orgId }, ctx }) {
    const current = await findApplication(orgId, slug);
    const changes = changesOf(body, current);
    if (Object.keys(changes).length === 0) return toApplicationResponse(current);
    const before = await ApplicationModel.findOneAndUpdate(
      { orgId, _id: current._id },
      { $set: { ...changes, updatedAt: now() } },
    ).lean<ApplicationDocument>();
    if (!before) throw apiError('NOT_FOUND');
    await recordAuditEvent(ctx, {
      action: 'application.updated',
      orgId,
      target: { type: 'application', id: current._id },
      before: Object.fromEntries(Object.keys(changes).map((name) => [name, before[name as keyof Changes]])),
      after: changes,
    });
    return toApplicationResponse(await findApplication(orgId, slug));
  },
});

type Changes = { name?: string; description?: string };

/** The fields of the body that differ from the application's. */
function changesOf(body: { [K in keyof Changes]?: string | undefined }, current: ApplicationDocument): Changes {
  const { name, description } = body;
  return {
    ...(name !== undefined && name !== current.name && { name }),
    ...(description !== undefined && description !== current.description && { description }),
  };
}
