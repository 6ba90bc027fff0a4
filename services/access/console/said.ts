import type { ConsoleOutput } from '../../../lib/said.ts';

/** The maximum of lines, so that a list fits into one NATS message (1 MiB) and into a terminal's scrollback. */
export const maxShown = 5000;

export function unknownOrganization(orgId: string): ConsoleOutput {
  return { lines: [`There is no organization ${orgId}.`] };
}
