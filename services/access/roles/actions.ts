import { createRole } from './create-role.ts';
import { deleteRole } from './delete-role.ts';
import { listRoles } from './list-roles.ts';
import { readRole } from './read-role.ts';
import { updateRole } from './update-role.ts';

export const roleActions = {
  'roles.list': listRoles,
  'roles.read': readRole,
  'roles.create': createRole,
  'roles.update': updateRole,
  'roles.delete': deleteRole,
};
