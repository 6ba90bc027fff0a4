import { hash } from 'node:crypto';
import { z } from 'zod';

/**
 * SHA-256 of a token in hex: the only form in which a credential of ours is stored, looked up or sent between services.
 * Every one is random and long, so a salt or a slow hash would protect nothing.
 */
export function hashToken(token: string): string {
  return hash('sha256', token);
}

/** The schema of a {@link hashToken} in the input of an action. */
export const tokenHashInput = z.string().regex(/^[0-9a-f]{64}$/);
