import { z } from 'zod';

/** What an operator reads, line by line. */
export const said = z.strictObject({ lines: z.array(z.string()) });
export type Said = z.output<typeof said>;

/** So many lines that a list still fits into one message of NATS (1 MiB), and into a terminal's memory. */
export const mostShown = 5000;

export function unknownOrganization(orgId: string): Said {
  return { lines: [`There is no organization ${orgId}.`] };
}
