import { z } from 'zod';

/** The lines that a console command prints for the operator. */
export const consoleOutput = z.strictObject({ lines: z.array(z.string()) });
export type ConsoleOutput = z.output<typeof consoleOutput>;
