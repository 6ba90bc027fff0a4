import { z } from 'zod';
import { day, fromNow, now } from '../../../lib/clock.ts';
import { apiError } from '../../../lib/errors.ts';
import { isSigned, sign } from '../../../lib/signature.ts';

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
