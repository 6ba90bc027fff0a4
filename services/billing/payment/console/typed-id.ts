import { z } from 'zod';

/** An id as somebody typed it. */
export const typedId = z.strictObject({ id: z.string().max(100) });
