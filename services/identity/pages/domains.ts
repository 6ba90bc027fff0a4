import type { ErrorDetail } from '../../../lib/contract/errors.ts';

/** The domains that a field lists, separated by lines, spaces, commas or semicolons. */
export const domainsIn = (typed: string): string[] => typed.split(/[\s,;]+/).filter(Boolean);

/** Names the wrong domain in a message, because the field has all domains. */
export function nameDomain({ path, message }: ErrorDetail, domains: readonly string[]): ErrorDetail {
  const domain = domains[Number(/^body\.\w+\.(\d+)$/.exec(path)?.[1])];
  return { path, message: domain === undefined ? message : `${domain}: ${message}` };
}
