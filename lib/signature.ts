import { createHmac, timingSafeEqual } from 'node:crypto';
import { keyFor } from './encryption.ts';

/**
 * Signs a text for this purpose alone (HMAC-SHA-256, base64url). Every node of a pool makes the same signature, so what
 * one has signed another can check.
 */
export function sign(purpose: string, text: string): string {
  return createHmac('sha256', keyFor(purpose)).update(text).digest('base64url');
}

/** Whether {@link sign} made this signature; it takes the same time for any wrong one. */
export function isSigned(purpose: string, text: string, signature: string): boolean {
  const expected = Buffer.from(sign(purpose, text));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
