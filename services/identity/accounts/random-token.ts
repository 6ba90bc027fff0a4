import { createHash, randomBytes } from 'node:crypto';

const tokenBytes = 24;

/** A token for a mailed link: 192 random bits in 32 characters. */
export function newRandomToken(): string {
  return randomBytes(tokenBytes).toString('base64url');
}

/** SHA-256 in hex: the only form in which such a token is looked up. It is random, so it needs no salt. */
export function hashRandomToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
