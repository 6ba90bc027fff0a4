import { z } from 'zod';

/** What an operator reads, line by line. */
export const said = z.strictObject({ lines: z.array(z.string()) });
export type Said = z.output<typeof said>;

/** An id as somebody typed it. */
export const typedId = z.strictObject({ id: z.string().max(100) });
