/** The actions of the service by name, for typed calls. Written by `npm run generate`. */
declare module '../../lib/contract/context.ts' {
  interface Calls {
    'access.assignments.create': typeof import('./create-assignment.ts').createAssignment;
    'access.assignments.delete': typeof import('./assignments.actions.ts').deleteAssignment;
    'access.assignments.list-of-application': typeof import('./assignments.actions.ts').listAssignmentsOfApplication;
    'access.assignments.list-of-role': typeof import('./assignments.actions.ts').listAssignmentsOfRole;
    'access.assignments.list-of-user': typeof import('./assignments.actions.ts').listAssignmentsOfUser;
    'access.callers.scopes': typeof import('./memberships.ts').readCallerScopes;
    'access.check': typeof import('./checks.actions.ts').check;
    'access.check-batch': typeof import('./checks.actions.ts').checkBatch;
    'access.console.graph': typeof import('./operator.ts').describeGraph;
    'access.console.who-can': typeof import('./operator.ts').whoCan;
    'access.console.why': typeof import('./operator.ts').why;
    'access.decide': typeof import('./checks-cached.ts').decideAtRevision;
    'access.explain': typeof import('./explain.ts').explain;
    'access.graph.reach': typeof import('./organizations.ts').waitForRevision;
    'access.memberships.add': typeof import('./change-membership.ts').addMembership;
    'access.memberships.change': typeof import('./change-membership.ts').changeMembership;
    'access.memberships.find': typeof import('./memberships.ts').findMemberships;
    'access.memberships.list': typeof import('./memberships.ts').listMemberships;
    'access.memberships.of-user': typeof import('./memberships.ts').listMembershipsOfUser;
    'access.memberships.of-users': typeof import('./memberships.ts').listMembershipsOfUsers;
    'access.memberships.owned-alone': typeof import('./memberships.ts').listOwnedAlone;
    'access.memberships.read': typeof import('./memberships.ts').readMembership;
    'access.memberships.require-authority': typeof import('./suspend-membership.ts').requireAuthority;
    'access.memberships.require-room': typeof import('./change-membership.ts').requireMemberRoom;
    'access.memberships.suspend': typeof import('./suspend-membership.ts').suspendMembership;
    'access.organizations.close': typeof import('./organizations.ts').closeOrganization;
    'access.organizations.erase': typeof import('./organizations.ts').eraseOrganization;
    'access.organizations.found': typeof import('./organizations.ts').initializeOrganization;
    'access.organizations.sizes': typeof import('./organizations.ts').countMembers;
    'access.permissions.declared': typeof import('./permissions.ts').listDeclaredPermissions;
    'access.permissions.list': typeof import('./permissions.ts').listPermissions;
    'access.permissions.list-users': typeof import('./explain.ts').listUsersWithPermission;
    'access.permissions.register': typeof import('./register-permissions.ts').registerPermissions;
    'access.roles.create': typeof import('./change-role.actions.ts').createRole;
    'access.roles.delete': typeof import('./roles.ts').deleteRole;
    'access.roles.list': typeof import('./roles.ts').listRoles;
    'access.roles.read': typeof import('./roles.ts').readRole;
    'access.roles.update': typeof import('./change-role.actions.ts').updateRole;
    'access.subjects.remove': typeof import('./change-membership.ts').removeSubject;
    'access.users.list-permissions': typeof import('./explain.ts').listPermissionsOfUser;
  }
}

export {};
