import { randomBytes } from 'node:crypto';

const tokenBytes = 24;

/** A token for a mailed link: 192 random bits in 32 characters. */
export function newRandomToken(): string {
  return randomBytes(tokenBytes).toString('base64url');
}
