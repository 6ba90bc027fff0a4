import { AssignmentTable } from './assignment-table.ts';
import { PermissionTable } from './permission-table.ts';
import { RoleTable } from './role-table.ts';

/** What a graph consists of. Nothing in it refers to what is not in it. */
export type GraphTables = { permissions: PermissionTable; roles: RoleTable; assignments: AssignmentTable };

export function emptyTables(): GraphTables {
  return { permissions: new PermissionTable(), roles: new RoleTable(), assignments: new AssignmentTable() };
}
