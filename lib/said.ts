import { z } from 'zod';

/** What an operator reads on the console, line by line. */
export const said = z.strictObject({ lines: z.array(z.string()) });
export type Said = z.output<typeof said>;
