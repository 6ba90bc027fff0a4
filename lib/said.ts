import { z } from 'zod';

/** The lines that a console command prints for the operator. */
export const said = z.strictObject({ lines: z.array(z.string()) });
export type Said = z.output<typeof said>;
