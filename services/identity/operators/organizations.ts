import { z } from 'zod';
import { type CallContext, type CallOutput, type Calls, type Ctx, call } from '../../../lib/contract/context.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError, orNull } from '../../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../../lib/contract/examples.ts';
import { decodeCursor, pageOf, pageQuery, pathId, timestamp, toPage } from '../../../lib/contract/input.ts';
import { asApiError } from '../../../lib/data/database-errors.ts';
import { normalizeEmail } from '../../../lib/format/email-address.ts';
import { type OrganizationDocument, OrganizationModel } from '../../../models/identity/organization.ts';
import { UserModel } from '../../../models/identity/user.ts';
import { setTrust } from '../create-organization.ts';
import { membershipsOf } from '../members.ts';
import { findOrganization } from '../organizations.ts';
import { suspensionOutput, toSuspension } from '../suspension.ts';
import { amongIds, placeOf, searchInput } from './search.ts';

export const operatedPath = z.strictObject({ orgId: pathId('org') });

const listed = {
  id: z.string(),
  slug: z.string(),
  name: z.string(),
  members: z.int().describe('The number of members, suspended ones included.'),
  plan: z.string().nullable().describe('The plan by its name; null while billing does not answer.'),
  status: z.string().nullable().describe('The status of the subscription; null while billing does not answer.'),
  isTrusted: z.boolean().describe('Whether browsers return to the origins of its OAuth clients without confirmation.'),
  suspension: suspensionOutput.nullable().describe('Since when and why it is suspended; null while it is in force.'),
  createdAt: timestamp,
};

const listedOutput = z.strictObject(listed).meta({ id: 'OperatedOrganization' });
type Listed = z.output<typeof listedOutput>;

/** An organization with its owners, its plan and its use of it. */
export const operatedDetails = z
  .strictObject({
    ...listed,
    owners: z
      .array(z.strictObject({ userId: z.string(), email: z.string() }).meta({ id: 'OperatedOwner' }))
      .describe('The owners with the addresses with which they log in.'),
    usage: z
      .array(
        z
          .strictObject({
            meter: z.string().describe('The name of the limit in the plans.'),
            used: z.number().describe('The use in the present period, in the unit of the limit.'),
            limit: z.number().nullable().describe('The limit of the plan; null if the plan does not include it.'),
            periodEnd: timestamp.nullable().describe('When the use is reset; null if it never is.'),
          })
          .meta({ id: 'OperatedUsage' }),
      )
      .nullable()
      .describe('The use of the limits of the plan; null while billing does not answer.'),
  })
  .meta({ id: 'OperatedOrganizationDetails' });

const example = {
  id: exampleId('org'),
  slug: 'acme-bikes',
  name: 'Acme Bikes',
  members: 2,
  plan: 'pro',
  status: 'active',
  isTrusted: false,
  suspension: null,
  createdAt: exampleInstant,
} satisfies z.input<typeof listedOutput>;

export const exampleSuspension = {
  since: '2026-03-05T14:00:00.000Z',
  reason: 'Unpaid since January.',
} satisfies z.input<typeof suspensionOutput>;

/**
 * GET /operator/organizations: all organizations, the newest first; with `search` those with this id, with a slug that
 * begins so, sorted by slug, or with a member who logs in with this address. Each is a range of one index.
 */
export const listOrganizations = defineAction({
  rest: 'GET /operator/organizations',
  summary: 'List the organizations of the platform',
  description:
    'Returns all organizations, the newest first. `search` is an id (`org_…`), the beginning of a slug, whose matches ' +
    'are sorted by slug, or the address with which a member logs in. With `state` only suspended organizations, or ' +
    'only others. Organizations that are being deleted are not listed.',
  permission: 'operator',
  input: {
    query: z.strictObject({
      ...pageQuery,
      search: searchInput.describe('An id, the beginning of a slug, or the login email of a member.'),
      state: z.enum(['active', 'suspended']).optional().describe('Whether the operator has suspended it.'),
    }),
  },
  output: pageOf(listedOutput),
  errors: ['CURSOR_INVALID'],
  example: { query: { limit: '20', search: 'acme' }, output: { data: [example], nextCursor: null } },
  async handler({ query: { search, state, limit, cursor }, ctx }) {
    const after = decodeCursor(cursor, 1)?.[0];
    const { filter, sort, by } = await placeAmong(ctx, search, after);
    const found = await OrganizationModel.find({ ...filter, ...(state && inState[state]), status: 'active' })
      .sort(sort)
      .limit(limit + 1)
      .lean<OrganizationDocument[]>();
    const describe = await describerOf(ctx, found.slice(0, limit));
    return toPage(found, limit, (one) => [one[by]], describe);
  },
});

/** Suspended organizations are few, and a range of a separate index. */
const inState = { active: { suspension: null }, suspended: { 'suspension.at': { $gt: new Date(0) } } };

/** The place of a search, which may also be the address of a member. */
async function placeAmong(ctx: CallContext, search: string, after: string | undefined) {
  if (search.includes('@') && !search.startsWith('org_'))
    return amongIds(await organizationsOfMember(ctx, search), after);
  return placeOf(search, after, { idPrefix: 'org_', key: 'slug', formOf: (slug) => slug.toLowerCase() });
}

async function organizationsOfMember(ctx: CallContext, typed: string): Promise<string[]> {
  const user = await UserModel.findOne({ email: normalizeEmail(typed) }, { _id: 1 }).lean();
  if (!user) return [];
  const memberships = await membershipsOf(ctx, user._id, { withSuspended: true });
  return memberships.map(({ orgId }) => orgId);
}

type Standing = { plan: string; status: string };

/** The answer of a service; null while no node offers it or can answer. */
export function ifAvailable<T>(work: Promise<T>): Promise<T | null> {
  return orNull(
    work.catch((error: unknown) => Promise.reject(asApiError(error))),
    'UNAVAILABLE',
  );
}

/** Reads what access control and billing know of organizations, in one call to each; describes one of them. */
async function describerOf(
  ctx: CallContext,
  organizations: readonly OrganizationDocument[],
): Promise<(one: OrganizationDocument) => Listed> {
  const orgIds = organizations.map(({ _id }) => _id);
  const [{ members }, billed] = await Promise.all([
    call(ctx, 'access.organizations.sizes', { body: { orgIds } }),
    ifAvailable(call(ctx, 'billing.subscriptions.standings', { body: { orgIds } })),
  ]);
  return (one) => toListed(one, members[one._id] ?? 0, billed?.standings[one._id] ?? null);
}

function toListed(organization: OrganizationDocument, members: number, standing: Standing | null): Listed {
  const { _id: id, slug, name, isTrusted = false, createdAt } = organization;
  const { plan = null, status = null } = standing ?? {};
  const suspension = toSuspension(organization);
  return { id, slug, name, members, plan, status, isTrusted, suspension, createdAt: createdAt.toISOString() };
}

export const exampleDetails = {
  ...example,
  owners: [{ userId: exampleId('usr'), email: 'ada@acme-bikes.example' }],
  usage: [{ meter: 'context.eventsPerDay', used: 480, limit: 10_000, periodEnd: '2026-03-03T00:00:00.000Z' }],
} satisfies z.input<typeof operatedDetails>;

/** GET /operator/organizations/:orgId: one organization with its owners, its plan and its use of it. */
export const readOrganization = defineAction({
  rest: 'GET /operator/organizations/:orgId',
  summary: 'Read an organization of the platform',
  description: 'Returns an organization with its owners, its plan and the use of the limits of the plan.',
  permission: 'operator',
  input: { path: operatedPath },
  output: operatedDetails,
  errors: ['NOT_FOUND'],
  example: { path: { orgId: example.id }, output: exampleDetails },
  handler: ({ path: { orgId }, ctx }) => readDetails(ctx, orgId),
});

/** @throws NOT_FOUND */
export async function readDetails(ctx: Ctx, orgId: string): Promise<z.output<typeof operatedDetails>> {
  const organization = await findOrganization(orgId);
  const [{ members }, { owners }, subscription] = await Promise.all([
    call(ctx, 'access.organizations.sizes', { body: { orgIds: [orgId] } }),
    call(ctx, 'identity.organizations.owners', { body: { orgId } }),
    ifAvailable(call(ctx, 'billing.subscription.describe', { body: { orgId } })),
  ]);
  const found = toListed(organization, members[orgId] ?? 0, subscription);
  return {
    ...found,
    owners: owners.map(({ userId, email }) => ({ userId, email })),
    usage: subscription?.usage.map(toUse) ?? null,
  };
}

type Usage = CallOutput<'billing.subscription.describe' & keyof Calls>['usage'][number];

function toUse({ meter, used, limit, periodEnd }: Usage) {
  return { meter, used, limit, periodEnd };
}

/** PATCH /operator/organizations/:orgId: whether the operator trusts it. */
export const updateOrganization = defineAction({
  rest: 'PATCH /operator/organizations/:orgId',
  summary: 'Trust an organization, or end that',
  description:
    'With `isTrusted`, browsers return to the origins of the OAuth clients of the organization without a ' +
    'confirmation. It takes effect immediately, and is recorded in the audit log of the organization.',
  permission: 'operator',
  input: {
    path: operatedPath,
    body: z.strictObject({ isTrusted: listed.isTrusted }).meta({ id: 'OperatedOrganizationInput' }),
  },
  output: operatedDetails,
  errors: ['NOT_FOUND'],
  example: {
    path: { orgId: example.id },
    body: { isTrusted: true },
    output: { ...exampleDetails, isTrusted: true },
  },
  async handler({ path: { orgId }, body: { isTrusted }, ctx }) {
    if (!(await setTrust(ctx, orgId, isTrusted))) throw apiError('NOT_FOUND');
    return await readDetails(ctx, orgId);
  },
});

export const operatedOrganizationActions = {
  'operator.organizations.list': listOrganizations,
  'operator.organizations.read': readOrganization,
  'operator.organizations.update': updateOrganization,
};
