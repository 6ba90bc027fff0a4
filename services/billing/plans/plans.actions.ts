import { z } from 'zod';
import { type LimitName, limitNames, limitWords, type PlanLimits } from '../../../lib/clients/plan-limits.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { organizationId } from '../../../lib/contract/input.ts';
import type { PlanName } from '../../../models/billing/sold-version.ts';
import { declaredLimits } from '../quota/meters.ts';
import { entitlementsNow } from '../subscriptions/entitlements.ts';

/**
 * The maximum of each resource that an organization can have, by the name of its plan. The limits protect the platform
 * and are not part of what is sold: they hold for every version of a plan, and a release may lower them. Resources
 * above a limit stay, but none can be added.
 *
 * The first four fill the memory of every access node: docs/decisions/0024-quotas-and-limits.md has the sizes.
 */
const limits: Record<PlanName, PlanLimits> = {
  free: {
    permissions: 1000,
    roles: 50,
    assignments: 2000,
    members: 100,
    applications: 10,
    apiKeys: 50,
    oauthClients: 5,
    buckets: 10,
    objects: 20_000,
    bucketNames: 100,
    imageVariantMegabytes: 100,
    mailTemplates: 50,
    suppressions: 10_000,
    notificationTemplates: 50,
    channels: 10,
    sites: 3,
    blocks: 1000,
    auditDays: 90,
  },
  pro: {
    permissions: 5000,
    roles: 500,
    assignments: 50_000,
    members: 5000,
    applications: 100,
    apiKeys: 500,
    oauthClients: 50,
    buckets: 100,
    objects: 2_000_000,
    bucketNames: 1000,
    imageVariantMegabytes: 5000,
    mailTemplates: 500,
    suppressions: 100_000,
    notificationTemplates: 500,
    channels: 50,
    sites: 20,
    blocks: 10_000,
    auditDays: 400,
  },
  scale: {
    permissions: 10_000,
    roles: 1000,
    assignments: 500_000,
    members: 100_000,
    applications: 1000,
    apiKeys: 5000,
    oauthClients: 500,
    buckets: 1000,
    objects: 100_000_000,
    bucketNames: 10_000,
    imageVariantMegabytes: 100_000,
    mailTemplates: 5000,
    suppressions: 1_000_000,
    notificationTemplates: 5000,
    channels: 500,
    sites: 200,
    blocks: 100_000,
    auditDays: 2555,
  },
};

export function limitsOfPlan(plan: PlanName): PlanLimits {
  return limits[plan];
}

const count = z.int().min(0);

/** The limits as they are shown, one number a name. */
export const limitsOutput = z
  .strictObject(
    Object.fromEntries(
      limitNames.map((name) => [name, count.describe(`The maximum number of ${limitWords[name]}.`)]),
    ) as Record<LimitName, typeof count>,
  )
  .meta({ id: 'PlanLimits' });

/**
 * `billing.limits.describe`, for services: how many of each resource an organization can have now. `declared`: of the
 * resources that services declare, with their names for people.
 */
export const describeLimits = defineAction({
  summary: 'Describe how many resources an organization can have',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ orgId: organizationId }) },
  output: z.strictObject({
    limits: limitsOutput,
    declared: z.record(z.string(), z.strictObject({ limit: count, name: z.string() })),
  }),
  errors: ['NOT_FOUND'],
  async handler({ body: { orgId }, ctx }) {
    const { plan, status } = await entitlementsNow(ctx, orgId);
    const granted = unpaid.has(status) ? 'free' : plan;
    return { limits: limitsOfPlan(granted), declared: declaredCountsOf(granted) };
  },
});

function declaredCountsOf(plan: PlanName): Record<string, { limit: number; name: string }> {
  const counts = declaredLimits().filter(([, { kind }]) => kind === 'count');
  return Object.fromEntries(counts.map(([key, { name, limits: byPlan }]) => [key, { limit: byPlan[plan] ?? 0, name }]));
}

/** The statuses with the limits of `free`: not paid yet, no longer paid, or ended. */
const unpaid: ReadonlySet<string> = new Set(['incomplete', 'expired', 'canceled']);
