import { listDeclaredPermissions } from './list-declared-permissions.ts';
import { listPermissions } from './list-permissions.ts';
import { registerPermissions } from './register-permissions.ts';

export const permissionActions = {
  'permissions.declared': listDeclaredPermissions,
  'permissions.list': listPermissions,
  'permissions.register': registerPermissions,
};
