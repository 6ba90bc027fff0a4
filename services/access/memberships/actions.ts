import { addMembership, requireMemberRoom } from './add-membership.ts';
import { changeMembership } from './change-membership.ts';
import { listMemberships } from './list-memberships.ts';
import { listMembershipsOfUser } from './list-memberships-of-user.ts';
import { listOwnedAlone } from './list-owned-alone.ts';
import { readCallerScopes, readMembership } from './read-membership.ts';
import { removeSubject } from './remove-subject.ts';

export const membershipActions = {
  'memberships.add': addMembership,
  'memberships.change': changeMembership,
  'memberships.list': listMemberships,
  'memberships.of-user': listMembershipsOfUser,
  'memberships.owned-alone': listOwnedAlone,
  'memberships.read': readMembership,
  'memberships.require-room': requireMemberRoom,
  'callers.scopes': readCallerScopes,
  'subjects.remove': removeSubject,
};
