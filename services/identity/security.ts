import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { day, hour, now } from '../../lib/data/clock.ts';
import { emailDomainInput, isOfDomains } from '../../lib/format/email-address.ts';
import { type OrganizationDocument, OrganizationModel } from '../../models/identity/organization.ts';
import { publishCredentialChange } from './current-rights.ts';
import { exampleOrganization, findOrganization, organizationPath, orgIdOfSlug } from './organizations.ts';

/** Maximum number of domains of an organization. */
const maxDomains = 100;
/** A session of the platform lasts no longer. */
const maxHours = (90 * day) / hour;

const domains = 'Domains of email addresses, in ASCII. Subdomains are listed separately. Empty: every domain.';
const hours =
  'The number of hours after a login for which a member acts in the organization; null: as long as the session lasts.';

const securityOutput = z
  .strictObject({
    allowedEmailDomains: z.array(z.string()).describe(domains),
    maxSessionHours: z.int().nullable().describe(hours),
  })
  .meta({ id: 'OrganizationSecurity' });

type Security = z.output<typeof securityOutput>;

const example = { allowedEmailDomains: ['acme-bikes.example'], maxSessionHours: 12 } satisfies Security;

/** GET /organizations/:slug/security: the rules for the members of an organization. */
export const readSecurity = defineAction({
  rest: 'GET /organizations/:slug/security',
  summary: 'Read the rules for members',
  description: 'Returns which email addresses can join the organization, and how long after a login members act in it.',
  permission: 'console.orgs.read',
  organization: ({ path }) => orgIdOfSlug(path.slug),
  input: { path: organizationPath },
  output: securityOutput,
  errors: ['NOT_FOUND'],
  example: { path: { slug: exampleOrganization.slug }, output: example },
  handler: async ({ caller: { orgId } }) => securityOf(await findOrganization(orgId)),
});

/** PATCH /organizations/:slug/security: changes the rules. They count on all nodes within a second of the answer. */
export const updateSecurity = defineAction({
  rest: 'PATCH /organizations/:slug/security',
  summary: 'Change the rules for members',
  description:
    'Changes which email addresses can join the organization, and how long after a login members act in it. ' +
    'Invitations to other addresses are refused with `EMAIL_DOMAIN_NOT_ALLOWED`, also those that are open; present ' +
    'members stay. A member whose login is older gets `SESSION_TOO_OLD` and logs in again. API keys and access tokens ' +
    'keep their own lifetimes. A body without fields changes nothing.',
  permission: 'console.orgs.write',
  organization: ({ path }) => orgIdOfSlug(path.slug),
  input: {
    path: organizationPath,
    body: z
      .strictObject({
        allowedEmailDomains: z
          .array(emailDomainInput)
          .max(maxDomains, `Must be at most ${maxDomains} domains.`)
          .describe(`${domains} Letters of other scripts are converted, and duplicates are removed.`),
        maxSessionHours: z.int().min(1).max(maxHours).nullable().describe(`${hours} At most ${maxHours}.`),
      })
      .partial()
      .meta({ id: 'OrganizationSecurityInput' }),
  },
  output: securityOutput,
  errors: ['NOT_FOUND'],
  example: { path: { slug: exampleOrganization.slug }, body: example, output: example },
  async handler({ body, caller: { orgId }, ctx }) {
    const current = securityOf(await findOrganization(orgId));
    const change = changeOf(current, body);
    if (Object.keys(change).length === 0) return current;
    const before = await OrganizationModel.findOneAndUpdate(
      { _id: orgId, status: 'active' },
      { $set: { ...change, updatedAt: now() } },
    ).lean<OrganizationDocument>();
    if (!before) throw apiError('NOT_FOUND');
    const after = { ...securityOf(before), ...change };
    await recordAuditEvent(ctx, {
      action: 'organization.security-updated',
      orgId,
      target: { type: 'organization', id: orgId },
      before: securityOf(before),
      after,
    });
    // Gateways decide again which sessions are too old.
    await publishCredentialChange(ctx, { orgId });
    return after;
  },
});

function securityOf({ allowedEmailDomains = [], maxSessionHours = null }: OrganizationDocument): Security {
  return { allowedEmailDomains, maxSessionHours };
}

type Sent = { [K in keyof Security]?: Security[K] | undefined };

/** The rules that are sent and differ from the present ones. */
function changeOf(current: Security, { allowedEmailDomains: typed, maxSessionHours }: Sent): Partial<Security> {
  const allowedEmailDomains = typed && [...new Set(typed)];
  const isSame = allowedEmailDomains?.join() === current.allowedEmailDomains.join();
  return {
    ...(allowedEmailDomains && !isSame && { allowedEmailDomains }),
    ...(maxSessionHours !== undefined && maxSessionHours !== current.maxSessionHours && { maxSessionHours }),
  };
}

/**
 * Throws EMAIL_DOMAIN_NOT_ALLOWED unless the owner of an address may join an organization by its rules. Read from the
 * database each time, so that a change counts from its answer on.
 */
export async function requireAllowedEmail(orgId: string, email: string): Promise<void> {
  const { allowedEmailDomains } = securityOf(await findOrganization(orgId));
  if (allowedEmailDomains.length === 0 || isOfDomains(email, allowedEmailDomains)) return;
  throw apiError('EMAIL_DOMAIN_NOT_ALLOWED');
}

export const securityActions = {
  'security.read': readSecurity,
  'security.update': updateSecurity,
};
