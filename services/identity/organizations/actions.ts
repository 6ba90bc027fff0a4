import { createOrganization } from './create-organization.ts';
import { deleteOrganization } from './delete-organization.ts';
import { describeOrganization } from './describe-organization.ts';
import { listMembers } from './list-members.ts';
import { listOrganizations } from './list-organizations.ts';
import { listOwners } from './list-owners.ts';
import { readOrganization } from './read-organization.ts';
import { removeMember } from './remove-member.ts';
import { trustOrganization } from './trust-organization.ts';
import { updateMember } from './update-member.ts';
import { updateOrganization } from './update-organization.ts';

export const organizationActions = {
  'organizations.list': listOrganizations,
  'organizations.read': readOrganization,
  'organizations.create': createOrganization,
  'organizations.update': updateOrganization,
  'organizations.delete': deleteOrganization,
  'organizations.describe': describeOrganization,
  'organizations.owners': listOwners,
  'console.trust': trustOrganization,
  'members.list': listMembers,
  'members.update': updateMember,
  'members.remove': removeMember,
};
