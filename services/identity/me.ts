import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import { type SystemRole, systemRoles } from '../../lib/contract/authorize.ts';
import type { ApplicationCaller, UserCaller } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../lib/contract/examples.ts';
import { timestamp } from '../../lib/contract/input.ts';
import { createFindBatcher } from '../../lib/data/batched-access.ts';
import { now } from '../../lib/data/clock.ts';
import type { Language } from '../../lib/format/language.ts';
import { personName } from '../../lib/format/public-names.ts';
import { type ApplicationDocument, ApplicationModel } from '../../models/identity/application.ts';
import { type OrganizationDocument, OrganizationModel } from '../../models/identity/organization.ts';
import { type Profile, profileFields, type UserDocument } from '../../models/identity/user.ts';
import { type Branded, brandOutput, toBrandField } from './brand.ts';
import { deleteUser } from './delete-user.ts';
import { suspensionOutput, toSuspension } from './suspension.ts';
import {
  changeUser,
  exampleProfile,
  isEmailVerified,
  languageChoice,
  profileOf,
  profileOutput,
  readCurrentUser,
} from './users.ts';

/** An organization of a user, and their role in it. */
export const organizationRole = z
  .strictObject({
    id: z.string(),
    slug: z.string(),
    name: z.string(),
    role: z.enum(systemRoles),
    brand: brandOutput
      .optional()
      .describe('How its members and its applications’ users recognize it; absent without a brand.'),
    suspension: suspensionOutput.optional().describe('Set while the operator of the platform has suspended it.'),
  })
  .meta({ id: 'OrganizationRole' });

/** A user as they see themselves; a field that a client's token may not see, or that is not set, is null. */
export const userOutput = z
  .strictObject({
    type: z.literal('user').describe('Always `user`.'),
    id: z.string(),
    email: z.string().nullable().describe('The address with which the user signs in; null without the scope `email`.'),
    emailVerified: z.boolean().nullable().describe('Whether the address is confirmed; null without the scope `email`.'),
    ...profileOutput,
    organizations: z
      .array(organizationRole)
      .describe('The organizations of the user; for an OAuth client only its own.'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'CurrentUser' });

export const exampleUser = {
  type: 'user',
  id: exampleId('usr'),
  email: 'ada@acme-bikes.example',
  emailVerified: true,
  ...exampleProfile,
  organizations: [{ id: exampleId('org'), slug: 'acme-bikes', name: 'Acme Bikes', role: 'owner' }],
  createdAt: exampleInstant,
  updatedAt: exampleInstant,
} satisfies z.input<typeof userOutput>;

/** A user with their organizations, as far as the session or token of the request may see them. */
export async function toUserResponse(user: UserDocument, caller: UserCaller): Promise<z.output<typeof userOutput>> {
  const sees = (scope: string): boolean => caller.granted?.includes(scope) ?? true;
  return {
    type: 'user',
    id: user._id,
    email: sees('email') ? user.email : null,
    emailVerified: sees('email') ? isEmailVerified(user) : null,
    ...profileOf(user, sees('profile')),
    organizations: await organizationsOf(caller),
    createdAt: user.createdAt.toISOString(),
    updatedAt: user.updatedAt.toISOString(),
  };
}

/** Omits the other organizations for a client, which acts in its own organization only. */
async function organizationsOf({ memberships, clientId, orgId }: UserCaller) {
  const seen = memberships.filter((membership) => clientId === undefined || membership.orgId === orgId);
  const ids = seen.map((membership) => membership.orgId);
  const found = await OrganizationModel.find({ _id: { $in: ids } }).lean<OrganizationDocument[]>();
  return seen.flatMap((membership) => {
    const organization = found.find(({ _id }) => _id === membership.orgId);
    return organization ? [toOrganizationRole(organization, membership.role)] : [];
  });
}

/** An organization of a user in answers. */
export function toOrganizationRole(
  organization: Pick<OrganizationDocument, '_id' | 'name'> & Branded,
  role: SystemRole,
): z.output<typeof organizationRole> {
  const { _id: id, slug, name } = organization;
  const suspension = toSuspension(organization);
  return { id, slug, name, role, ...toBrandField(organization), ...(suspension && { suspension }) };
}

/**
 * DELETE /identity/me: deletes the current user with their sessions, consents and memberships. Refused while the user
 * is the only owner of an organization. Their acts stay in the audit logs.
 */
export const deleteMe = defineAction({
  rest: 'DELETE /identity/me',
  summary: 'Delete your account',
  description:
    'Deletes the account of the signed-in user with their sessions, memberships and the access they granted to ' +
    'applications. While they are the only owner of an organization, the answer is `LAST_OWNER`. Their actions ' +
    'stay in the audit logs. This cannot be undone.',
  permission: 'session',
  input: {},
  output: z.void(),
  errors: ['LAST_OWNER', 'CONFLICT'],
  example: {},
  handler: ({ caller, ctx }) => deleteUser(ctx, caller.id),
});

const applicationOutput = z
  .strictObject({
    type: z.literal('application').describe('Always `application`.'),
    id: z.string(),
    slug: z.string(),
    name: z.string(),
    orgId: z.string(),
    scopes: z.array(z.string()),
    keyId: z.string().optional().describe('The id of the API key of the request.'),
    clientId: z.string().optional().describe('The id of the OAuth client of the request.'),
  })
  .meta({ id: 'CurrentApplication' });

/** GET /identity/me: the owner of the credential, and its scopes. The call that confirms a connection. */
export const readMe = defineAction({
  rest: 'GET /identity/me',
  summary: 'Read the owner of the credential',
  description:
    'Returns the application or the user that the credential belongs to. Call it to confirm that a credential ' +
    'works. An access token that acts for a user shows the name only with the scope `profile` and the email ' +
    'address only with `email`; fields it may not see are null.',
  permission: 'authenticated',
  input: {},
  output: z.discriminatedUnion('type', [applicationOutput, userOutput]).meta({ id: 'CredentialOwner' }),
  example: {
    output: {
      type: 'application',
      id: exampleId('app'),
      slug: 'shop-backend',
      name: 'Shop backend',
      orgId: exampleId('org'),
      scopes: ['context.events.write', 'context.story.read'],
      keyId: exampleId('key'),
    },
  },
  async handler({ caller }) {
    return caller.type === 'application'
      ? toApplicationResponse(caller)
      : toUserResponse(await readCurrentUser(caller.id), caller);
  },
});

const findApplication = createFindBatcher<ApplicationDocument>(ApplicationModel, '_id', ['slug', 'name']);

async function toApplicationResponse(caller: ApplicationCaller): Promise<z.output<typeof applicationOutput>> {
  const { orgId, id, scopes, keyId, clientId } = caller;
  const application = await findApplication(orgId, id);
  // The application was deleted since the credential was checked.
  if (!application) throw apiError('CREDENTIAL_INVALID');
  const { slug, name } = application;
  const credential = keyId === undefined ? { clientId } : { keyId };
  return { type: 'application' as const, id, slug, name, orgId, scopes, ...credential };
}

const maxNameLength = 100;
const maxUrlLength = 2048;
const earliestBirthDate = '1900-01-01';

const name = personName(maxNameLength).nullable();

const birthDate = z
  .string()
  .refine(isPastDate, `Must be a calendar date as YYYY-MM-DD, from ${earliestBirthDate} to today.`)
  .nullable();

const avatarUrl = z
  .string()
  .max(maxUrlLength, `Must be at most ${maxUrlLength} characters.`)
  .refine(isPublicUrl, 'Must be an http or https address of an image, without user name and password.')
  .nullable();

/** The profile input: null clears a field, and an absent one stays as it is. */
const profileInput = z
  .strictObject({
    firstName: name,
    middleName: name,
    lastName: name,
    preferredName: name,
    birthDate,
    gender: name,
    displayName: name,
    avatarUrl,
    language: languageChoice,
  } satisfies Record<keyof Profile, z.ZodType>)
  .partial()
  .meta({ id: 'ProfileInput' });

/** PATCH /identity/me: changes the profile fields in the body; a body without fields changes nothing. */
export const updateMe = defineAction({
  rest: 'PATCH /identity/me',
  summary: 'Change your profile',
  description:
    'Changes the profile fields that the body names; null clears a field. A body without fields changes nothing.',
  permission: 'session',
  input: { body: profileInput },
  output: userOutput,
  errors: ['CONFLICT'],
  example: {
    body: { firstName: 'Ada', middleName: 'King', lastName: 'Lovelace', preferredName: 'Ada' },
    output: { ...exampleUser, middleName: 'King', preferredName: 'Ada', updatedAt: '2026-03-05T14:00:00.000Z' },
  },
  async handler({ body, caller, ctx }) {
    const { before, after } = await changeUser(caller.id, (user) => profileChange(user, body));
    const fields = profileFields.filter((field) => before[field] !== after[field]);
    if (fields.length > 0) {
      const target = { type: 'user', id: caller.id };
      await recordAuditEvent(ctx, { action: 'user.updated', userId: caller.id, target, after: { fields } });
    }
    return toUserResponse(after, caller);
  },
});

/** Stores the language that a user chose for pages; null follows the browser. */
export async function keepLanguage(userId: string, language: Language | null): Promise<void> {
  await changeUser(userId, (user) => profileChange(user, { language }));
}

function profileChange(user: UserDocument, sent: z.output<typeof profileInput>): Partial<Profile> {
  const changed = Object.entries(sent).filter(([field, value]) => user[field as keyof Profile] !== value);
  return Object.fromEntries(changed);
}

function isPastDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const instant = new Date(`${text}T00:00:00.000Z`);
  // The 31st of a short month is read as a day of the next one.
  if (Number.isNaN(instant.getTime()) || !instant.toISOString().startsWith(text)) return false;
  return text >= earliestBirthDate && instant <= now();
}

function isPublicUrl(text: string): boolean {
  // The parser would drop or convert these characters, and the stored text would differ from the checked one.
  if (/[\s\\\p{Cc}\p{Cs}]/u.test(text)) return false;
  const url = URL.parse(text);
  if (!url || !/^https?:\/\//i.test(text)) return false;
  return url.username === '' && url.password === '';
}
