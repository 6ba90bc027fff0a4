import type { ConsoleOutput } from '../../../lib/said.ts';

/** The maximum of lines for which a list fits into one message of NATS (1 MiB), and into a terminal's memory. */
export const maxShown = 5000;

export function unknownOrganization(orgId: string): ConsoleOutput {
  return { lines: [`There is no organization ${orgId}.`] };
}
