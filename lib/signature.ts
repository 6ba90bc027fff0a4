import { createHmac, timingSafeEqual } from 'node:crypto';
import { keyFor } from './encryption.ts';

/**
 * Signs a text for this purpose only (HMAC-SHA-256, base64url). All nodes of a pool can verify the signature, because
 * they share the key.
 */
export function sign(purpose: string, text: string): string {
  return createHmac('sha256', keyFor(purpose)).update(text).digest('base64url');
}

/** Verifies a signature of {@link sign} in constant time. */
export function isSigned(purpose: string, text: string, signature: string): boolean {
  const expected = Buffer.from(sign(purpose, text));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
