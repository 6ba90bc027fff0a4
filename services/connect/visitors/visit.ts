import { z } from 'zod';
import type { Ctx } from '../../../lib/caller.ts';
import { apiError } from '../../../lib/errors.ts';
import { ownOrigin } from '../../../lib/settings.ts';
import type { SiteDocument } from '../../../models/connect/site.ts';
import { type Person, requireNotBlocked } from '../blocks/blocked.ts';
import { requireActiveOrganization } from '../sites/make-site.ts';
import { isAllowedOrigin } from '../sites/origins.ts';
import { isIdentity, requireIdentity } from './identity.ts';
import { currentSite, rememberedSite } from './site-memory.ts';
import { readToken, type VisitorClaims } from './token.ts';
import { networkHash } from './visitors.ts';

/** The headers of a visitor's request. Browsers send the origin of a page except with its same-origin GETs. */
export const visitHeaders = z.object({
  authorization: z.string().max(8192).meta({ securityScheme: 'visitor' }).optional(),
  origin: z.string().max(300).optional(),
});

/** The common errors of the widget endpoints. */
export const visitErrors = [
  'CREDENTIAL_REQUIRED',
  'CREDENTIAL_INVALID',
  'IDENTITY_INVALID',
  'ORIGIN_REFUSED',
  'SITE_DISABLED',
  'VISITOR_BLOCKED',
] as const;

export type Visit = { claims: VisitorClaims; site: SiteDocument; orgId: string; visitorId: string; person: Person };

/**
 * Returns the visitor of a request. Checks the token, the signed identity, the site and the origin on each request.
 *
 * @param isWrite whether to bypass the site cache, so that nothing is written for a deleted site
 * @throws the errors of {@link visitErrors}
 */
export async function requireVisit(ctx: Ctx, headers: z.output<typeof visitHeaders>, isWrite = false): Promise<Visit> {
  const claims = readToken(headers.authorization);
  const { orgId, siteId, visitorId, user } = claims;
  const site = await (isWrite ? currentSite : rememberedSite)(orgId, siteId);
  if (!site) throw apiError('CREDENTIAL_INVALID');
  requireOpen(ctx, site, headers.origin);
  // A new secret takes effect immediately for identities signed with it.
  if (user && !isIdentity(site, user)) requireIdentity(await currentSite(orgId, siteId), user);
  const person = { visitorId, userId: user?.id ?? null, network: networkHash(ctx) };
  await requireNotBlocked(orgId, person);
  return { claims, site, orgId, visitorId, person };
}

/**
 * Throws CREDENTIAL_INVALID if the organization was deleted concurrently, after removing the written data. Erasure
 * deletes the sites first, so it covers everything written while the site existed.
 */
export async function requireNotErased(
  ctx: Ctx,
  { orgId, siteId }: { orgId: string; siteId: string },
  remove: () => PromiseLike<unknown>,
): Promise<void> {
  if (await currentSite(orgId, siteId)) return;
  await requireActiveOrganization(ctx, orgId, remove);
}

/**
 * Throws unless the site is enabled and the request comes from an allowed origin or the platform's own frame. Sets CORS
 * headers for allowed origins.
 *
 * @throws ORIGIN_REFUSED, SITE_DISABLED
 */
export function requireOpen(ctx: Ctx, site: SiteDocument, origin: string | undefined): void {
  if (origin !== undefined && origin !== ownOrigin) {
    if (!isAllowedOrigin(origin, site.allowedOrigins)) {
      throw apiError('ORIGIN_REFUSED', {
        message: 'This origin is not among the allowed origins of the site.',
      });
    }
    ctx.meta.$responseHeaders = {
      ...ctx.meta.$responseHeaders,
      Vary: 'Origin',
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers': 'Retry-After, X-Request-Id',
      'Cross-Origin-Resource-Policy': 'cross-origin',
    };
  }
  if (!site.enabled) throw apiError('SITE_DISABLED');
}
