import { AssignmentTable } from './assignment-table.ts';
import { PermissionTable } from './permission-table.ts';
import { RoleTable } from './role-table.ts';

/** The tables of a graph. They refer only to each other's entries. */
export type GraphTables = { permissions: PermissionTable; roles: RoleTable; assignments: AssignmentTable };

export function emptyTables(): GraphTables {
  return { permissions: new PermissionTable(), roles: new RoleTable(), assignments: new AssignmentTable() };
}
