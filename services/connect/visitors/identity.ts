import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { day, minute, now } from '../../../lib/clock.ts';
import { emailAsSent } from '../../../lib/email-address.ts';
import { apiError } from '../../../lib/errors.ts';
import { singleLine } from '../../../lib/text.ts';
import type { SiteDocument } from '../../../models/connect/site.ts';
import { secretOf } from '../sites/create-secret.ts';

const validFor = day;
/** How far the clock of the website's server may be ahead. */
const clockSkew = 5 * minute;

export const visitorName = singleLine(100);

/** The user of a website, as its page names them. */
export const userInput = z.strictObject({
  id: singleLine(256),
  name: visitorName.optional(),
  /** As it was signed. */
  email: emailAsSent.optional(),
  /** When the website's server signed the identity. */
  issuedAt: z.iso.datetime({ offset: true, error: 'Send an instant such as 2030-01-31T12:00:00Z.' }).optional(),
});

export const userHashInput = z.string().regex(/^[0-9a-fA-F]{64}$/, 'Send an HMAC-SHA256 in hexadecimal.');

/** What a website signs. `email` as it was sent, absent when empty. */
export type SignedIdentity = { id: string; email?: string | undefined; issuedAt: string; hash: string };

/** The text that a website signs: id, email or nothing, and the instant, joined by line feeds. */
export function signedText({ id, email = '', issuedAt }: Omit<SignedIdentity, 'hash'>): string {
  return [id, email, issuedAt].join('\n');
}

type WithSecret = Pick<SiteDocument, 'sealedSecret'>;

/** Verifies an identity by a site's secret, in constant time. It is valid for a day. */
export function isIdentity(site: WithSecret, identity: SignedIdentity): boolean {
  const secret = secretOf(site);
  const age = now().getTime() - Date.parse(identity.issuedAt);
  const expected = createHmac('sha256', secret ?? '')
    .update(signedText(identity))
    .digest();
  const given = Buffer.from(identity.hash, 'hex');
  const isRight = given.length === expected.length && timingSafeEqual(given, expected);
  return secret !== null && isRight && age < validFor && age > -clockSkew;
}

/** Throws IDENTITY_INVALID when the hash is wrong, by another secret, or older than a day. */
export function requireIdentity(site: WithSecret | null, identity: SignedIdentity): void {
  if (!site || !isIdentity(site, identity)) throw apiError('IDENTITY_INVALID');
}
