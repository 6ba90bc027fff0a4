import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { decodeCursor, encodeCursor, pageOf, pageQuery, toPage } from '../../../lib/page.ts';
import { scopesOf, systemRoles } from '../../../lib/roles.ts';
import { orgOf } from '../granting.ts';
import { exampleRole, roleOutput, type ShownRole, toRoleResponse } from './roles.ts';

/** Keeps a page within one message of NATS (1 MiB), also with large roles. */
const maxBytes = 512 * 1024;

const exampleMemberRole: ShownRole = {
  id: 'role_member',
  name: 'member',
  description: 'May read, and use the services',
  permissions: scopesOf('member').toSorted(),
  includes: [],
  isSystem: true,
  revision: 0,
  createdAt: null,
  updatedAt: null,
};

/** GET /access/roles: the platform's roles, then the organization's, by id. Large roles make shorter pages. */
export const listRoles = defineAction({
  rest: 'GET /access/roles',
  summary: 'List roles',
  permission: 'console.access.read',
  input: { query: z.strictObject(pageQuery) },
  output: pageOf(roleOutput),
  errors: ['NOT_FOUND', 'CURSOR_INVALID'],
  example: {
    // The page after the platform's roles of owners and admins.
    query: { limit: '20', cursor: encodeCursor(['1', 'role_admin']) },
    output: { data: [exampleMemberRole, exampleRole], nextCursor: null },
  },
  handler({ query: { limit, cursor }, caller: { orgId }, ctx }) {
    const after = decodeCursor(cursor, 2);
    const roles = orgOf(ctx, orgId)
      .roles()
      .filter((role) => after === null || isAfter(pageKeyOf(role), after))
      .slice(0, limit + 1)
      .map(toRoleResponse);
    return toPage(roles, Math.min(limit, countFitting(roles)), pageKeyOf, (role) => role);
  },
});

/** The position of a role in the list, in the order of the graph. It does not depend on other roles. */
function pageKeyOf({ id }: Pick<ShownRole, 'id'>): string[] {
  const rank = systemRoles.findIndex((role) => id === `role_${role}`);
  return [`${rank === -1 ? systemRoles.length : rank}`, id];
}

function isAfter([group = '', id = '']: string[], [otherGroup = '', otherId = '']: string[]): boolean {
  return group === otherGroup ? id > otherId : group > otherGroup;
}

/** The number of leading roles that fit into an answer, at least one. */
function countFitting(roles: ShownRole[]): number {
  let bytes = 0;
  const tooMany = roles.findIndex((role) => {
    bytes += Buffer.byteLength(JSON.stringify(role));
    return bytes > maxBytes;
  });
  return tooMany === -1 ? roles.length : Math.max(1, tooMany);
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.roles.list': typeof listRoles;
  }
}
