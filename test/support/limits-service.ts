import type { ServiceSchema } from 'moleculer';
import type { PlanLimits } from '../../lib/clients/plan-limits.ts';

/** As many of everything as no test makes. */
const plenty: PlanLimits = {
  permissions: 100_000,
  roles: 100_000,
  assignments: 100_000,
  members: 100_000,
  applications: 100_000,
  apiKeys: 100_000,
  oauthClients: 100_000,
  imageVariantMegabytes: 100,
  buckets: 100_000,
  objects: 100_000,
  bucketNames: 100_000,
  mailTemplates: 100_000,
  suppressions: 100_000,
  notificationTemplates: 100_000,
  channels: 100_000,
  sites: 100_000,
  blocks: 100_000,
  auditDays: 90,
};

/** Billing as far as services ask it for limits, where a test runs some services without it. */
export const limitsService = (limits: PlanLimits = plenty): ServiceSchema => ({
  name: 'billing',
  actions: { 'limits.describe': () => ({ limits }) },
});
