import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { requireActiveOrganization, requireInForce } from '../../../lib/clients/organizations.ts';
import { createTtlCache } from '../../../lib/concurrency/ttl-cache.ts';
import type { Ctx } from '../../../lib/contract/context.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { singleLine } from '../../../lib/contract/input.ts';
import { day, fromNow, minute, now } from '../../../lib/data/clock.ts';
import { emailAsSent } from '../../../lib/format/email-address.ts';
import { isSigned, sign } from '../../../lib/security/encryption.ts';
import { ownOrigin } from '../../../lib/settings/settings.ts';
import { type SiteDocument, SiteModel } from '../../../models/connect/site.ts';
import { type Person, requireNotBlocked } from '../blocks.ts';
import { secretOf } from '../sites/create-secret.ts';
import { isAllowedOrigin } from '../sites/origins.ts';
import { networkHash } from './visitors.ts';

const validFor = day;
/** The tolerated clock skew of the website's server. */
const clockSkew = 5 * minute;

export const visitorName = singleLine(100);

/** The user of a website, as named by its page. */
export const userInput = z.strictObject({
  id: singleLine(256).describe('The id of the user in your own system.'),
  name: visitorName.optional(),
  email: emailAsSent.optional().describe('The email address, exactly as it is signed.'),
  issuedAt: z.iso
    .datetime({ offset: true, error: 'Must be an instant such as 2030-01-31T12:00:00Z.' })
    .optional()
    .describe('When your server signed the identity, at most a day ago. Required with `userHash`.'),
});

export const userHashInput = z.string().regex(/^[0-9a-fA-F]{64}$/, 'Must be an HMAC-SHA256 in hexadecimal.');

/** A signed identity. `email` as sent, absent when empty. */
export type SignedIdentity = { id: string; email?: string | undefined; issuedAt: string; hash: string };

/** The signed text: id, email (or empty) and instant, joined by line feeds. */
export function signedText({ id, email = '', issuedAt }: Omit<SignedIdentity, 'hash'>): string {
  return [id, email, issuedAt].join('\n');
}

type WithSecret = Pick<SiteDocument, 'sealedSecret'>;

/** Verifies an identity with a site's secret, in constant time. Valid for a day. */
export function isIdentity(site: WithSecret, identity: SignedIdentity): boolean {
  const secret = secretOf(site);
  const age = now().getTime() - Date.parse(identity.issuedAt);
  const expected = createHmac('sha256', secret ?? '')
    .update(signedText(identity))
    .digest();
  const actual = Buffer.from(identity.hash, 'hex');
  const isRight = actual.length === expected.length && timingSafeEqual(actual, expected);
  return secret !== null && isRight && age < validFor && age > -clockSkew;
}

/** Throws IDENTITY_INVALID if the hash is wrong, made with another secret, or older than a day. */
export function requireIdentity(site: WithSecret | null, identity: SignedIdentity): void {
  if (!site || !isIdentity(site, identity)) throw apiError('IDENTITY_INVALID');
}

/** How long a site is cached, in milliseconds: turning it off takes effect within a second. */
const maxAge = 500;

const sites = createTtlCache<SiteDocument | null>(maxAge);

/**
 * Returns a site for requests of visitors; null if it does not exist. Cached for half a second, so that the checks of
 * many idle streams share a read.
 */
export function rememberedSite(orgId: string, siteId: string): Promise<SiteDocument | null> {
  return sites.find(`${orgId}:${siteId}`, () => SiteModel.findOne({ orgId, _id: siteId }).lean<SiteDocument>().exec());
}

/** Reads a site without the cache. */
export function currentSite(orgId: string, siteId: string): Promise<SiteDocument | null> {
  sites.forget(`${orgId}:${siteId}`);
  return rememberedSite(orgId, siteId);
}

/** The purpose of the signatures, with the version of the signed claims. */
const purpose = 'connect.visitor.1';
const lifetime = 30 * day;

const claims = z.strictObject({
  orgId: z.string(),
  siteId: z.string(),
  visitorId: z.string(),
  issuedAt: z.number(),
  /** Present with a signed identity, which is verified again on every request. */
  user: z
    .strictObject({ id: z.string(), email: z.string().optional(), issuedAt: z.string(), hash: z.string() })
    .optional(),
  /** Unverified. */
  name: z.string().optional(),
  email: z.string().optional(),
  locale: z.string().optional(),
});

/** The claims of a visitor token. The platform signed it, so clients cannot change it. */
export type VisitorClaims = z.output<typeof claims>;

/** Signs a token, and returns its expiry. */
export function issueToken(about: Omit<VisitorClaims, 'issuedAt'>): { token: string; expiresAt: Date } {
  const text = Buffer.from(JSON.stringify({ ...about, issuedAt: now().getTime() })).toString('base64url');
  return { token: `${text}.${sign(purpose, text)}`, expiresAt: fromNow(lifetime) };
}

/**
 * Verifies the token in an Authorization header.
 *
 * @throws CREDENTIAL_REQUIRED; CREDENTIAL_INVALID it is forged or has expired.
 */
export function readToken(authorization: string | undefined): VisitorClaims {
  if (authorization === undefined) {
    throw apiError('CREDENTIAL_REQUIRED', { message: 'Authorization: Bearer <visitor token> is required.' });
  }
  const [, token] = /^bearer ([\w-]+\.[\w-]+)$/i.exec(authorization) ?? [];
  const [text = '', mac = ''] = token?.split('.') ?? [];
  if (token === undefined || !isSigned(purpose, text, mac)) throw apiError('CREDENTIAL_INVALID');
  const found = claims.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
  if (now().getTime() - found.issuedAt >= lifetime) throw apiError('CREDENTIAL_INVALID');
  return found;
}

/** The headers of a visitor's request. Browsers send the origin of a page except with its same-origin GETs. */
export const visitHeaders = z.object({
  authorization: z.string().max(8192).meta({ securityScheme: 'visitor' }).optional(),
  origin: z.string().max(300).optional().describe('The origin of the page, which browsers send.'),
});

/** The common errors of the widget endpoints. */
export const visitErrors = [
  'CREDENTIAL_REQUIRED',
  'CREDENTIAL_INVALID',
  'IDENTITY_INVALID',
  'ORIGIN_REFUSED',
  'SITE_DISABLED',
  'ORGANIZATION_SUSPENDED',
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
  ctx.meta.website = { orgId, siteId };
  await requireOpen(ctx, site, headers.origin);
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
 * Throws unless the site is enabled, its organization is in force, and the request comes from an allowed origin or the
 * platform's own frame. Sets CORS headers for allowed origins.
 *
 * @throws ORIGIN_REFUSED, SITE_DISABLED, ORGANIZATION_SUSPENDED
 */
export async function requireOpen(ctx: Ctx, site: SiteDocument, origin: string | undefined): Promise<void> {
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
  await requireInForce(ctx, site.orgId);
}
