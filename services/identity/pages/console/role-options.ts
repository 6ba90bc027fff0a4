import { type SystemRole, systemRoles } from '../../../../lib/contract/authorize.ts';
import type { OrganizationVisit } from '../../../../web/organization-page.ts';
import { texts } from '../texts.ts';

/** The roles of a form, the least first. Only an owner makes an owner, so others see that role where it is the present one. */
export function roleOptions(
  { organization }: OrganizationVisit,
  present: SystemRole,
): (readonly [SystemRole, string])[] {
  const { roles } = texts().people;
  const isOffered = (role: SystemRole): boolean =>
    role !== 'owner' || organization.role === 'owner' || present === 'owner';
  return systemRoles
    .filter(isOffered)
    .map((role) => [role, roles[role]] as const)
    .reverse();
}
