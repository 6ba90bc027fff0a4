import type { Row } from './row.ts';

const from = 'issue 42, part 4; decision 0095';
// Only the console of a node makes an operator, so no caller of the suite is one.
const proven = 'test/integration/operator/organizations.test.ts';
const ofSuspension = 'test/integration/operator/suspension.test.ts';
const ofRegistration = 'test/integration/operator/registration.test.ts';
const ofPlatform = 'test/integration/operator/platform.test.ts';

/** What operators read and change across organizations. */
export const operatorRows = {
  'operator.refused': {
    from,
    says: 'every path below /operator is 401 without a credential, and 403 for an owner and for an API key',
  },
  'operator.organizations': {
    from,
    route: 'GET /operator/organizations',
    says: 'organizations are listed, and found by id, slug or the address of a member',
    proven,
  },
  'operator.organization': {
    from,
    route: 'GET /operator/organizations/:orgId',
    says: 'an organization is read with its owners, plan and usage',
    proven,
  },
  'operator.organization-trust': {
    from,
    route: 'PATCH /operator/organizations/:orgId',
    says: 'an organization is trusted, which its audit log says',
    proven,
  },
  'operator.organization-suspended': {
    from,
    route: 'POST /operator/organizations/:orgId/suspend',
    says: 'nothing that acts for a suspended organization succeeds, and its members read the reason',
    proven: ofSuspension,
  },
  'operator.organization-restored': {
    from,
    route: 'POST /operator/organizations/:orgId/restore',
    says: 'after the end of a suspension everything works again',
    proven: ofSuspension,
  },
  'operator.organization-log': {
    from,
    route: 'GET /operator/organizations/:orgId/audit-log',
    says: 'its audit log is read',
    proven,
  },
  'operator.clients': {
    from,
    route: 'GET /operator/organizations/:orgId/oauth-clients',
    says: 'its OAuth clients are listed',
    proven,
  },
  'operator.client-first-party': {
    from,
    route: 'PATCH /operator/organizations/:orgId/oauth-clients/:clientId',
    says: 'an OAuth client becomes first-party, in its organization alone',
    proven,
  },
  'operator.plan': {
    from,
    route: 'PUT /operator/organizations/:orgId/plan',
    says: 'a plan is given without payment',
    proven,
  },
  'operator.invoices': {
    from,
    route: 'GET /operator/organizations/:orgId/invoices',
    says: 'its invoices are listed',
    proven,
  },
  'operator.invoice-paid': {
    from,
    route: 'POST /operator/organizations/:orgId/invoices/:invoiceId/pay',
    says: 'an open invoice is marked as paid, once',
    proven,
  },
  'operator.users': {
    from,
    route: 'GET /operator/users',
    says: 'users are found by id or the beginning of the address',
    proven,
  },
  'operator.registration': {
    from,
    route: 'GET /operator/registration',
    says: 'the operator reads who may create an account',
    proven: ofRegistration,
  },
  'operator.registration-limited': {
    from,
    route: 'PUT /operator/registration',
    says: 'registration is opened, or limited to invited people or to domains, which the log of the platform says',
    proven: ofRegistration,
  },
  'operator.backups': {
    from,
    route: 'GET /operator/backups',
    says: 'the backups of the platform are listed',
    proven: ofPlatform,
  },
  'operator.nodes': {
    from,
    route: 'GET /operator/nodes',
    says: 'the nodes of the platform are listed',
    proven: ofPlatform,
  },
  'operator.jobs': {
    from,
    route: 'GET /operator/jobs',
    says: 'the scheduled jobs are listed',
    proven: ofPlatform,
  },
  'operator.job-run': {
    from,
    route: 'POST /operator/jobs/:name/run',
    says: 'a scheduled job runs now, and is refused while it runs',
    proven: ofPlatform,
  },
  'operator.dead-mail': {
    from,
    route: 'GET /operator/mail/dead-letters',
    says: 'dead letters of mail are listed',
    proven: ofPlatform,
  },
  'operator.dead-mail-again': {
    from,
    route: 'POST /operator/mail/dead-letters/redrive',
    says: 'dead letters of mail are queued again',
    proven: ofPlatform,
  },
  'operator.dead-notifications': {
    from,
    route: 'GET /operator/notifications/dead-letters',
    says: 'dead letters of notifications are listed',
    proven: ofPlatform,
  },
  'operator.dead-notifications-again': {
    from,
    route: 'POST /operator/notifications/dead-letters/redrive',
    says: 'dead letters of notifications are queued again',
    proven: ofPlatform,
  },
} as const satisfies Record<string, Row>;
