import type { Row } from './row.ts';

/** Access control: permissions, roles, who has them, and checks. */
export const accessRows = {
  'permissions.register': {
    from: 'Endpoints, Access control; Resources, Permission',
    route: 'POST /access/permissions',
    says: 'POST /access/permissions takes namespace and permissions; again it updates descriptions and adds keys',
  },
  'permissions.list': {
    from: 'Endpoints, Access control',
    route: 'GET /access/permissions',
    says: "GET /access/permissions lists the platform's and the organization's by key, those of namespace alone if asked",
  },
  'permissions.key': {
    from: 'decisions, Access control',
    says: 'a key is 2 to 4 parts of lower-case letters, digits and dashes, the first its namespace: else 400',
  },
  'permissions.reserved': {
    from: 'decisions, System permissions',
    says: "the platform's namespaces take no keys: 400",
  },
  'permissions.tenant': {
    from: 'decisions, Access control',
    says: 'two organizations use the same namespace without meeting',
  },
  'roles.create': {
    from: 'Endpoints, Access control; Resources, Role',
    route: 'POST /access/roles',
    says: 'POST /access/roles takes name and permissions and gives the role',
  },
  'roles.list': {
    from: 'Endpoints, Access control',
    route: 'GET /access/roles',
    says: "GET /access/roles lists the platform's roles and the organization's, in pages of limit",
  },
  'roles.read': {
    from: 'Endpoints, Access control',
    route: 'GET /access/roles/:id',
    says: 'GET /access/roles/:id gives one, with its revision as ETag',
  },
  'roles.update': {
    from: 'Endpoints, Access control',
    route: 'PATCH /access/roles/:id',
    says: "PATCH /access/roles/:id replaces the role's permissions, which counts within a second",
  },
  'roles.delete': {
    from: 'Endpoints, Access control; decisions, Access control',
    route: 'DELETE /access/roles/:id',
    says: 'DELETE /access/roles/:id deletes it and its assignments',
  },
  'roles.assignments': {
    from: 'decision 0094',
    route: 'GET /access/roles/:id/assignments',
    says: 'GET /access/roles/:id/assignments lists who has the role; a role of another organization is 404',
  },
  'roles.fields': {
    from: 'decisions, Access control',
    says: 'a role with an unknown key, an unknown role or a wrong field is 400 and names it',
  },
  'roles.includes': { from: 'issue 6, part 1', says: 'a role includes roles and gives what they give' },
  'roles.cycle': {
    from: 'issue 6, part 1',
    says: 'roles that would include one another are 400, and the cycle is named',
  },
  'roles.if-match': {
    from: 'issue 6, Bad input',
    says: 'with If-Match a change passes at that revision alone: else 412; without it the last writer wins',
  },
  'roles.system': { from: 'decisions, System roles', says: 'the system roles can be neither changed nor deleted: 403' },
  'roles.grant': {
    from: 'decisions, Scopes',
    says: 'nobody puts into a role what they do not hold: 403, and the permission is named',
  },
  'access.permission': {
    from: 'Authentication 8',
    says: 'reading permissions and roles needs console.access.read, writing console.access.write: else 403',
  },
  'access.foreign': {
    from: 'decisions, Shapes',
    says: "another organization's role is 404, as one that does not exist",
  },

  'assignments.create': {
    from: 'Endpoints, Access control; Resources, Assignment',
    route: 'POST /access/assignments',
    says: 'POST /access/assignments takes userId, roleId and context and gives the assignment, the same when repeated',
  },
  'assignments.foreign': {
    from: 'issue 6, Bad input',
    says: 'only members and own applications are given roles, only own roles, only in own organizations: else 404',
  },
  'assignments.grant': {
    from: 'decisions, Scopes',
    says: 'nobody assigns a role that gives what they do not hold, or without console.access.write: 403',
  },
  'assignments.membership': {
    from: 'decisions, System roles',
    says: 'a membership is the assignment of a system role; the last owner stays: 409',
  },
  'assignments.application': {
    from: 'issue 6, part 1',
    route: 'GET /access/applications/:applicationId/assignments',
    says: 'applications have roles too, which GET /access/applications/:applicationId/assignments lists',
  },
  'assignments.expiry': {
    from: 'issue 6, part 1',
    says: 'an assignment with expiresAt counts until then',
  },
  'assignments.list': {
    from: 'Endpoints, Access control',
    route: 'GET /identity/users/:userId/assignments',
    says: "GET /identity/users/:userId/assignments lists a member's in an organization of the caller's",
  },
  'assignments.revoke': {
    from: 'Endpoints, Access control',
    route: 'DELETE /access/assignments/:assignmentId',
    says: 'DELETE /access/assignments/:assignmentId revokes it, which counts within a second',
  },
  'checks.check': {
    from: 'Endpoints, Access control; decisions, Access control',
    route: 'POST /access/check',
    says: 'POST /access/check takes userId, permission and context and gives { allowed }; what is unknown is denied',
  },
  'checks.foreign': {
    from: 'decisions, Shapes',
    says: 'a check in an organization that is not the caller’s is 404',
  },
  'checks.revision': {
    from: 'issue 6, part 2',
    says: 'a check with minRevision sees that revision, or is refused with 503',
  },
  'checks.batch': {
    from: 'issue 6, part 1',
    route: 'POST /access/check/batch',
    says: 'POST /access/check/batch answers 1 to 1,000 checks in their order, and no more: 400',
  },
  'checks.explain': {
    from: 'decisions, Access control',
    route: 'POST /access/explain',
    says: 'POST /access/explain says which assignments and roles allow it, or what is missing',
  },
  'checks.permissions': {
    from: 'issue 6, part 1',
    route: 'GET /access/users/:userId/permissions',
    says: 'GET /access/users/:userId/permissions lists all that a member holds, in pages of limit',
  },
  'checks.users': {
    from: 'issue 6, part 1',
    route: 'GET /access/permissions/:key/users',
    says: 'GET /access/permissions/:key/users lists all who hold a permission, in pages of limit',
  },
} as const satisfies Record<string, Row>;
