import type { Row } from './row.ts';

/** Organizations, their members, invitations and audit log. */
export const organizationRows = {
  'organizations.create': {
    from: 'Endpoints, Identity; Resources, Organization',
    route: 'POST /organizations',
    says: 'POST /organizations takes name and slug; the user who makes one is its owner',
  },
  'organizations.list': {
    from: 'Endpoints, Identity',
    route: 'GET /organizations',
    says: 'GET /organizations lists those of the user; of an application its own',
  },
  'organizations.read': {
    from: 'Endpoints, Identity',
    route: 'GET /organizations/:slug',
    says: 'GET /organizations/:slug gives one',
  },
  'organizations.update': {
    from: 'Endpoints, Identity',
    route: 'PATCH /organizations/:slug',
    says: 'PATCH /organizations/:slug changes the name and the colour, never the slug',
  },
  'organizations.logo': {
    from: 'issue, settings of an organization',
    route: 'PUT /organizations/:slug/logo',
    says: 'PUT /organizations/:slug/logo takes an image, and no SVG, and gives the organization with its address',
  },
  'organizations.logo.read': {
    from: 'issue, settings of an organization',
    route: 'GET /organizations/:slug/logo/:logoId',
    says: 'GET /organizations/:slug/logo/:logoId gives everybody a PNG that can be kept for a year',
  },
  'organizations.logo.remove': {
    from: 'issue, settings of an organization',
    route: 'DELETE /organizations/:slug/logo',
    says: 'DELETE /organizations/:slug/logo removes the logo: its address is 404',
  },
  'organizations.security.read': {
    from: 'issue, settings of an organization',
    route: 'GET /organizations/:slug/security',
    says: 'GET /organizations/:slug/security gives the rules for members, none at first',
  },
  'organizations.security.update': {
    from: 'issue, settings of an organization',
    route: 'PATCH /organizations/:slug/security',
    says: 'PATCH /organizations/:slug/security changes them: an invitation to an address of another domain is 403',
  },
  'organizations.session-age': {
    from: 'issue, settings of an organization',
    says: 'a member whose login is older than maxSessionHours is 403 in the organization, and nowhere else',
    proven: 'test/integration/identity/organization-security.test.ts',
  },
  'organizations.delete': {
    from: 'issue 5, part 3',
    route: 'DELETE /organizations/:slug',
    says: 'DELETE /organizations/:slug is for an owner who repeats the slug: 202, then 404',
  },
  'organizations.deleted': {
    from: 'issue 5, part 3',
    says: 'what a deleted organization had is removed in every service',
    proven: 'test/faults/identity/organization-deletion.test.ts',
  },
  'organizations.once': {
    from: 'decisions, Shapes',
    says: 'the same Idempotency-Key makes one organization, for each user their own',
  },
  'organizations.slug': {
    from: 'decisions, Identity',
    says: 'a slug has the decided form (400) and is unique on the platform, also of what was deleted (409)',
  },
  'organizations.permission': {
    from: 'Authentication 8',
    says: 'changing an organization or its members needs console.orgs.write: else 403',
  },
  'organizations.foreign': {
    from: 'decisions, Shapes',
    says: "another's organization is 404 in each of its paths, as one that does not exist",
  },
  'tenant.ambiguous': {
    from: 'decisions, Tenant',
    says: 'a user of several organizations names one in x-tenant-id: else 400; of one that is not theirs 403',
  },

  'users.list': {
    from: 'Endpoints, Identity',
    route: 'GET /identity/users',
    says: 'GET /identity/users lists the users of orgId, in pages of limit',
  },
  'users.read': {
    from: 'Endpoints, Identity',
    route: 'GET /identity/users/:userId',
    says: "GET /identity/users/:userId gives one of the organization's; anybody else is 404",
  },
  'users.sessions': {
    from: 'decision 0020',
    route: 'GET /identity/users/:userId/sessions',
    says: "GET /identity/users/:userId/sessions lists a member's sessions, none of them current",
  },
  'users.session-end': {
    from: 'decision 0020',
    route: 'DELETE /identity/users/:userId/sessions/:sessionId',
    says: 'DELETE /identity/users/:userId/sessions/:sessionId ends one of them, and no other',
  },
  'users.sessions-end': {
    from: 'decision 0020',
    route: 'DELETE /identity/users/:userId/sessions',
    says: 'DELETE /identity/users/:userId/sessions ends all of them',
  },
  'users.contacts': {
    from: 'decision 0020',
    route: 'GET /identity/users/:userId/contacts',
    says: 'GET /identity/users/:userId/contacts gives the login email whole and other contacts shortened',
  },
  'users.recovery': {
    from: 'decision 0020',
    route: 'POST /identity/users/:userId/recovery',
    says: 'POST /identity/users/:userId/recovery mails a link: 202, and 404 for another organization',
  },
  'members.suspend': {
    from: 'decision 0020',
    route: 'POST /organizations/:slug/members/:userId/suspend',
    says: 'POST …/suspend takes a member all access to the organization with the next request',
  },
  'members.restore': {
    from: 'decision 0020',
    route: 'POST /organizations/:slug/members/:userId/restore',
    says: 'POST …/restore gives it back, with the same role',
  },
  'users.permission': { from: 'Authentication 8', says: 'both need console.users.read: else 403' },
  'members.list': {
    from: 'Endpoints, Identity',
    route: 'GET /organizations/:slug/members',
    says: 'GET /organizations/:slug/members lists userId and role of everybody who belongs to it',
  },
  'members.update': {
    from: 'Endpoints, Identity; Resources, Member',
    route: 'PATCH /organizations/:slug/members/:userId',
    says: 'PATCH /organizations/:slug/members/:userId gives a member another role, which counts within a second',
  },
  'members.remove': {
    from: 'Endpoints, Identity',
    route: 'DELETE /organizations/:slug/members/:userId',
    says: 'DELETE /organizations/:slug/members/:userId removes a member: it is 404 to them within a second',
  },
  'members.role': { from: 'Resources, Member', says: 'role is one of owner, admin, member' },
  'members.last-owner': { from: 'decisions, Identity', says: 'the last owner can be neither demoted nor removed: 409' },
  'members.above': { from: 'decisions, Scopes', says: 'nobody makes somebody more than they are themselves: 403' },
  'members.leave': {
    from: 'decisions, Identity',
    says: 'a member may leave',
    proven: 'test/integration/identity/members.test.ts',
  },
  'roles.member': {
    from: 'decisions, System roles',
    says: 'a member reads organization, applications and services, and writes none of them',
  },
  'roles.admin': {
    from: 'decisions, System roles',
    says: 'an admin does all but delete the organization and what needs billing.write',
  },
  'invitations.create': {
    from: 'Endpoints, Identity; Resources, Invitation',
    route: 'POST /organizations/:slug/invitations',
    says: 'POST /organizations/:slug/invitations takes email and role and gives an invitation for 7 days',
  },
  'invitations.fields': {
    from: 'Resources, Invitation',
    says: 'a wrong email or role is 400; whoever is invited already or is a member is 409',
  },
  'invitations.list': {
    from: 'decisions, Identity',
    route: 'GET /organizations/:slug/invitations',
    says: 'GET /organizations/:slug/invitations lists them, never a token',
  },
  'invitations.resend': {
    from: 'decisions, Identity',
    route: 'POST /organizations/:slug/invitations/:invitationId/resend',
    says: 'POST /organizations/:slug/invitations/:invitationId/resend mails a new link',
  },
  'invitations.revoke': {
    from: 'decisions, Identity',
    route: 'DELETE /organizations/:slug/invitations/:invitationId',
    says: 'DELETE /organizations/:slug/invitations/:invitationId takes it back: it is open no more',
  },
  'invitations.accept': {
    from: 'decisions, Identity',
    route: 'POST /organizations/invitations/:token/accept',
    says: 'POST /organizations/invitations/:token/accept is for a user with a link that exists: else 404',
  },
  'invitations.accepted': {
    from: 'decisions, Identity',
    says: 'the mailed link makes its addressee a member, once',
    proven: 'test/integration/identity/invitations.test.ts',
  },
  'audit.list': {
    from: 'issue 5, part 5',
    route: 'GET /organizations/:slug/audit-log',
    says: 'GET /organizations/:slug/audit-log tells who did what, when, from where, and no secret',
  },
  'audit.record': {
    from: 'issue 42, part 3',
    route: 'GET /organizations/:slug/audit-log/:recordId',
    says: 'GET /organizations/:slug/audit-log/:recordId gives one record; in another organization it is 404',
  },
  'audit.filter': { from: 'issue 5, part 5', says: 'it is filtered by action, actor, target and time, and paged' },
  'requests.list': {
    from: 'issue 42, part 3; decision 0017',
    route: 'GET /organizations/:slug/requests',
    says: 'GET /organizations/:slug/requests tells why requests were refused, filtered, and no secret',
  },
  'requests.read': {
    from: 'issue 42, part 3; decision 0017',
    route: 'GET /organizations/:slug/requests/:requestId',
    says: 'GET /organizations/:slug/requests/:requestId gives one by its request id; in another organization it is 404',
  },
  'audit.permission': { from: 'decisions, System permissions', says: 'it needs console.audit.read: else 403' },
} as const satisfies Record<string, Row>;
