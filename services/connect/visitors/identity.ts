import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { day, minute, now } from '../../../lib/clock.ts';
import { emailAsSent } from '../../../lib/email-address.ts';
import { apiError } from '../../../lib/errors.ts';
import { singleLine } from '../../../lib/text.ts';
import type { SiteDocument } from '../../../models/connect/site.ts';
import { secretOf } from '../sites/create-secret.ts';

const validFor = day;
/** The tolerated clock skew of the website's server. */
const clockSkew = 5 * minute;

export const visitorName = singleLine(100);

/** The user of a website, as named by its page. */
export const userInput = z.strictObject({
  id: singleLine(256),
  name: visitorName.optional(),
  /** As signed. */
  email: emailAsSent.optional(),
  /** When the website's server signed the identity. */
  issuedAt: z.iso.datetime({ offset: true, error: 'Must be an instant such as 2030-01-31T12:00:00Z.' }).optional(),
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
