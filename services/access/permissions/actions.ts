import { listPermissions } from './list-permissions.ts';
import { registerPermissions } from './register-permissions.ts';

export const permissionActions = {
  'permissions.list': listPermissions,
  'permissions.register': registerPermissions,
};
