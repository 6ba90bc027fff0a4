import { decideAtRevision } from './cached-decide.ts';
import { check } from './check.ts';
import { checkBatch } from './check-batch.ts';
import { explain } from './explain.ts';
import { listPermissionsOfUser } from './list-permissions-of-user.ts';
import { listUsersWithPermission } from './list-users-with-permission.ts';

export const checkActions = {
  check,
  decide: decideAtRevision,
  'check-batch': checkBatch,
  explain,
  'users.list-permissions': listPermissionsOfUser,
  'permissions.list-users': listUsersWithPermission,
};
