import { z } from 'zod';

/** SHA-256 in hex, the only form in which identifiers that are secrets reach this service. */
export const hashInput = z.string().regex(/^[0-9a-f]{64}$/);
