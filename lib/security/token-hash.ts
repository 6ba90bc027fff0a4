import { hash } from 'node:crypto';
import { z } from 'zod';

/**
 * SHA-256 of a token in hex: the only form in which the platform's credentials are stored, looked up or sent between
 * services. All tokens are random and long, so a salt or a slow hash would add no protection.
 */
export function hashToken(token: string): string {
  return hash('sha256', token);
}

/** The schema of a {@link hashToken} in the input of an action. */
export const tokenHashInput = z.string().regex(/^[0-9a-f]{64}$/);
