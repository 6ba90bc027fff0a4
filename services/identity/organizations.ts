import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import { type SystemRole, systemRoles } from '../../lib/contract/authorize.ts';
import type { Caller } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError, inputError } from '../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../lib/contract/examples.ts';
import { decodeCursor, pageOf, pageQuery, pathText, timestamp, toPage } from '../../lib/contract/input.ts';
import { now } from '../../lib/data/clock.ts';
import { brandProblem, holdsBrand, publicName } from '../../lib/format/public-names.ts';
import { FirstRunModel } from '../../models/identity/first-run.ts';
import { type OrganizationDocument, OrganizationModel } from '../../models/identity/organization.ts';
import { brandColor, brandOutput, noBrand, toBrandField } from './brand.ts';
import { beginDeletion, lastUrgentStep, runDeletion, runInBackground } from './deletions.ts';
import { suspensionOutput, toSuspension } from './suspension.ts';

/**
 * Reserved words, which cannot be the slug of an organization or application: they are, or may become, paths next to
 * the slugs, or would allow impersonation of the platform.
 */
const reservedWords = new Set([
  'access',
  'account',
  'admin',
  'api',
  'applications',
  'assets',
  'billing',
  'cdn',
  'connect',
  'console',
  'dev',
  'docs',
  'events',
  'health',
  'help',
  'identity',
  'inbox',
  'invitations',
  'login',
  'logout',
  'mail',
  'me',
  'metrics',
  'new',
  'oauth2',
  'openapi',
  'operator',
  'organizations',
  'platform',
  'root',
  'search',
  'security',
  'self-service',
  'settings',
  'status',
  'storage',
  'support',
  'system',
  'v1',
  'widget',
  'www',
]);

/** The format of a slug. */
export const slugPattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** The slug of a new organization or application: 1 to 63 of a-z, 0-9 and dashes within, and not a reserved word. */
export const newSlug = z
  .string()
  .regex(slugPattern, 'Must be 1 to 63 lower-case letters, digits and dashes, without a dash at the beginning or end.')
  .refine((slug) => !reservedWords.has(slug), 'This word is reserved; choose another slug.');

/**
 * A slug made of a name, such as `cafe-zoe` of "Café Zoë"; empty when the name has no Latin letter or digit. It may be
 * taken or reserved.
 */
export function suggestSlug(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '');
}

/** Any text is accepted in the path: one that names none of the caller's organizations is 404, never 400. */
export const organizationPath = z.strictObject({
  slug: pathText(slugPattern).describe('The slug of the organization.'),
});

export const organizationName = publicName(100);

/** Throws INPUT_INVALID when an organization would have the platform's own name. */
export function rejectBrand(name: string): void {
  if (holdsBrand(name)) throw inputError([{ path: 'body.name', message: brandProblem }]);
}

/** An organization in API responses; `role` is the user's in it, and absent for an application. */
export const organizationOutput = z
  .strictObject({
    id: z.string(),
    slug: z.string(),
    name: z.string(),
    role: z.enum(systemRoles).optional().describe('The role of the user in it; absent for an application.'),
    brand: brandOutput
      .optional()
      .describe('How its members and its applications’ users recognize it; absent without a brand.'),
    suspension: suspensionOutput.optional().describe('Set while the operator of the platform has suspended it.'),
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
  organization: OrganizationDocument,
  role?: SystemRole,
): z.output<typeof organizationOutput> {
  const { _id: id, slug, name, createdAt, updatedAt } = organization;
  const suspension = toSuspension(organization);
  const times = { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
  return {
    id,
    slug,
    name,
    ...(role && { role }),
    ...toBrandField(organization),
    ...(suspension && { suspension }),
    ...times,
  };
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

/**
 * DELETE /organizations/:slug?confirm=<slug>: deletes an organization with all its data; only an owner who repeats its
 * slug can. It is inaccessible after the first steps, which this answer waits for. The rest is removed step by step,
 * after a crash by the sweep. The slug stays taken and the audit log is kept.
 */
export const deleteOrganization = defineAction({
  rest: 'DELETE /organizations/:slug',
  summary: 'Delete an organization with everything in it',
  description:
    'Deletes an organization with all its data: applications, credentials, events, stories, files, mail and ' +
    'conversations. Only an owner can, and `confirm` must repeat the slug. After the answer no credential works in ' +
    'it; the rest is removed in the background. The slug stays taken and the audit log is kept. This cannot be ' +
    'undone.',
  permission: 'session',
  organization: ({ path }) => orgIdOfSlug(path.slug),
  input: {
    path: organizationPath,
    query: z.strictObject({ confirm: z.string().optional().describe('The slug of the organization again. Required.') }),
  },
  output: z
    .strictObject({
      status: z.literal('deleting').describe('No credential works in it any longer; the rest is removed now.'),
    })
    .meta({ id: 'OrganizationDeletion' }),
  status: 202,
  errors: ['NOT_FOUND', 'OWNER_REQUIRED'],
  example: {
    path: { slug: exampleOrganization.slug },
    query: { confirm: exampleOrganization.slug },
    output: { status: 'deleting' },
  },
  async handler({ path: { slug }, query: { confirm }, caller, ctx }) {
    if (roleOf(caller) !== 'owner') throw apiError('OWNER_REQUIRED');
    if (confirm !== slug) {
      throw inputError([{ path: 'query.confirm', message: 'Must be the slug of the organization.' }]);
    }
    const { _id: orgId, name } = await findOrganization(caller.orgId ?? '');
    const deletion = await beginDeletion({ _id: orgId, kind: 'organization', orgId });
    if (!deletion) return { status: 'deleting' as const };
    await recordAuditEvent(ctx, {
      action: 'organization.deleted',
      orgId,
      target: { type: 'organization', id: orgId },
      before: { slug, name },
    });
    await runDeletion(ctx, deletion, lastUrgentStep);
    runInBackground(ctx.broker, deletion);
    return { status: 'deleting' as const };
  },
});

/** `identity.organizations.describe`, for services: an organization; null when it is deleted or being deleted. */
export const describeOrganization = defineAction({
  summary: 'Describe an organization',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ orgId: z.string() }) },
  output: z.strictObject({
    organization: z
      .strictObject({
        name: z.string(),
        slug: z.string(),
        /** Whether it is the operator's own, which the first run created. */
        isFirst: z.boolean(),
      })
      .nullable(),
  }),
  async handler({ body: { orgId } }) {
    const [found, firstRun] = await Promise.all([
      OrganizationModel.findOne({ _id: orgId, status: 'active' }, { name: 1, slug: 1 }).lean(),
      FirstRunModel.exists({ orgId }),
    ]);
    return { organization: found && { name: found.name, slug: found.slug, isFirst: firstRun !== null } };
  },
});

/** GET /organizations: a user's organizations with their role, the oldest first; for an application its own. */
export const listOrganizations = defineAction({
  rest: 'GET /organizations',
  summary: 'List the organizations of the caller',
  description:
    'Returns the organizations of the user with their role in each, the oldest first. An application sees its own ' +
    'organization.',
  permission: 'authenticated',
  input: { query: z.strictObject(pageQuery) },
  output: pageOf(organizationOutput),
  errors: ['CURSOR_INVALID'],
  example: {
    query: { limit: '20' },
    output: { data: [exampleOrganization], nextCursor: null },
  },
  async handler({ query, caller }) {
    const after = decodeCursor(query.cursor, 1)?.[0];
    const roles = rolesOf(caller);
    const newer = after === undefined ? {} : { $gt: after };
    const organizations = await OrganizationModel.find({ _id: { $in: [...roles.keys()], ...newer }, status: 'active' })
      .sort({ _id: 1 })
      .limit(query.limit + 1)
      .lean<OrganizationDocument[]>();
    return toPage(
      organizations,
      query.limit,
      ({ _id }) => [_id],
      (organization) => toOrganizationResponse(organization, roles.get(organization._id)),
    );
  },
});

/** The caller's role by organization. Omits the other organizations for a client, which acts in its own only. */
function rolesOf(caller: Caller) {
  if (caller.type === 'application') return new Map([[caller.orgId, undefined]]);
  const seen = caller.memberships.filter(({ orgId }) => caller.clientId === undefined || orgId === caller.orgId);
  return new Map(seen.map(({ orgId, role }) => [orgId, role]));
}

/** GET /organizations/:slug: one organization of the caller's. */
export const readOrganization = defineAction({
  rest: 'GET /organizations/:slug',
  summary: 'Read an organization',
  description:
    'Returns one organization, with the role of the user in it. An organization that you do not belong to is ' +
    '`NOT_FOUND`.',
  permission: 'console.orgs.read',
  organization: ({ path }) => orgIdOfSlug(path.slug),
  input: { path: organizationPath },
  output: organizationOutput,
  errors: ['NOT_FOUND'],
  example: { path: { slug: exampleOrganization.slug }, output: exampleOrganization },
  async handler({ caller }) {
    return toOrganizationResponse(await findOrganization(caller.orgId), roleOf(caller));
  },
});

/** PATCH /organizations/:slug: changes the name and the colour. */
export const updateOrganization = defineAction({
  rest: 'PATCH /organizations/:slug',
  summary: 'Change an organization',
  description:
    'Changes the name of an organization, or the colour of its brand; a colour of null removes it. The slug never ' +
    'changes. A body without fields changes nothing. `PUT /organizations/:slug/logo` sets the logo.',
  permission: 'console.orgs.write',
  organization: ({ path }) => orgIdOfSlug(path.slug),
  input: {
    path: organizationPath,
    body: z
      .strictObject({
        name: organizationName.optional(),
        brand: z
          .strictObject({
            color: brandColor
              .nullable()
              .optional()
              .describe(
                'A colour as `#rrggbb`. Where text on it could not be read, pages use a lighter or darker one of its hue.',
              ),
          })
          .meta({ id: 'BrandInput' })
          .optional()
          .describe('The brand.'),
      })
      .meta({ id: 'OrganizationUpdateInput' }),
  },
  output: organizationOutput,
  errors: ['NOT_FOUND'],
  example: {
    path: { slug: exampleOrganization.slug },
    body: { name: 'Acme Bikes Ltd', brand: { color: '#0b57d0' } },
    output: {
      ...exampleOrganization,
      name: 'Acme Bikes Ltd',
      brand: { ...noBrand, color: '#0b57d0' },
      updatedAt: '2026-03-05T14:00:00.000Z',
    },
  },
  async handler({ body: { name, brand }, caller, ctx }) {
    const { orgId } = caller;
    const current = await findOrganization(orgId);
    const change = changeOf(current, { name, brandColor: brand?.color });
    if (Object.keys(change).length === 0) return toOrganizationResponse(current, roleOf(caller));
    // The operator's own organization may have the name of the operator's platform.
    if (change.name !== undefined && !(await FirstRunModel.exists({ orgId }))) rejectBrand(change.name);
    const before = await OrganizationModel.findOneAndUpdate(
      { _id: orgId, status: 'active' },
      { $set: { ...change, updatedAt: now() } },
    ).lean<OrganizationDocument>();
    if (!before) throw apiError('NOT_FOUND');
    const previous = Object.keys(change).map((field) => [field, before[field as keyof Change] ?? null]);
    await recordAuditEvent(ctx, {
      action: 'organization.updated',
      orgId,
      target: { type: 'organization', id: orgId },
      before: Object.fromEntries(previous),
      after: change,
    });
    return toOrganizationResponse(await findOrganization(orgId), roleOf(caller));
  },
});

type Change = { name?: string; brandColor?: string | null };

/** The fields that are sent and differ from the present ones. */
function changeOf(
  { name, brandColor: color = null }: OrganizationDocument,
  sent: { name?: string | undefined; brandColor?: string | null | undefined },
): Change {
  return {
    ...(sent.name !== undefined && sent.name !== name && { name: sent.name }),
    ...(sent.brandColor !== undefined && sent.brandColor !== color && { brandColor: sent.brandColor }),
  };
}
