import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { originOfReturnTo } from '../../../lib/security/return-to.ts';
import { withoutLoopbackPort } from '../../../lib/settings/mongo-url.ts';
import { ownOrigin, settings } from '../../../lib/settings/settings.ts';
import { OAuthClientModel } from '../../../models/identity/oauth-client.ts';
import { OrganizationModel } from '../../../models/identity/organization.ts';

const returnDecisions = ['allowed', 'ask', 'refused'] as const;

/**
 * The decision on an address to which a browser is to return. `allowed`: it is the platform itself, an origin of the
 * setting ALLOWED_ORIGINS, or one that a client of a trusted organization has registered. `ask`: another organization's
 * client has registered the origin, so the user decides. `refused`: the origin is not registered.
 */
type ReturnDecision = (typeof returnDecisions)[number];

/** Reads from the database each time, so that withdrawn trust in an organization takes effect immediately. */
export async function validateReturnUrl(url: string): Promise<ReturnDecision> {
  const origin = originOfReturnTo(url, settings.PUBLIC_URL);
  if (origin === null) return 'refused';
  if (origin === ownOrigin || settings.ALLOWED_ORIGINS.includes(origin)) return 'allowed';
  const trusted = await OrganizationModel.distinct('_id', { isTrusted: true, status: 'active' });
  if (await isRegistered([origin], { orgId: { $in: trusted } })) return 'allowed';
  // A loopback address without a port is registered for all of them (RFC 8252 section 7.3).
  return (await isRegistered([origin, withoutLoopbackPort(origin) ?? origin])) ? 'ask' : 'refused';
}

async function isRegistered(origins: string[], ofWhom: { orgId?: { $in: string[] } } = {}): Promise<boolean> {
  const registered = OAuthClientModel.exists({ redirectOrigins: { $in: origins }, ...ofWhom });
  return (await registered.setOptions({ acrossTenants: true })) !== null;
}

/** `identity.accounts.check-return-to`, for pages: whether a browser may be sent to this address when they are done. */
export const checkReturnTo = defineAction({
  summary: 'Find out whether a browser may be sent to an address',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ url: z.string() }) },
  output: z.strictObject({ decision: z.enum(returnDecisions) }),
  handler: async ({ body: { url } }) => ({ decision: await validateReturnUrl(url) }),
});
