import { idPattern } from '../../../../lib/ids.ts';

export const billingPath = '/console/billing';
export const cancelPath = '/console/billing/cancel';

const orgIdPattern = idPattern('org');

/** The address of a page about an organization. An invalid organization id is omitted. */
export function withOrganization(path: string, orgId: string, more: Record<string, string> = {}): string {
  return orgIdPattern.test(orgId) ? `${path}?${new URLSearchParams({ orgId, ...more })}` : path;
}
