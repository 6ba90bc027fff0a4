import type { Context } from 'moleculer';
import { call } from './calls.ts';
import { apiError, errorCode } from './errors.ts';
import { upgradeUrlOf } from './quota-errors.ts';

/**
 * The resources whose number a plan limits, each with its name in error messages. The limits are in
 * `services/billing/plans/limits.ts`, which does not compile without a number for each name.
 */
const limitWords = {
  permissions: 'permissions',
  roles: 'roles',
  assignments: 'role assignments',
  members: 'members',
  applications: 'applications',
  apiKeys: 'API keys',
  oauthClients: 'OAuth clients',
  buckets: 'buckets',
  objects: 'objects',
  bucketNames: 'names of buckets, with those of deleted ones',
  imageVariantMegabytes: 'MB of image variants',
  mailTemplates: 'mail templates',
  suppressions: 'suppressed addresses',
  notificationTemplates: 'notification templates',
  channels: 'channel connections',
  sites: 'websites',
  blocks: 'blocked visitors, customers and addresses',
  auditDays: 'days of the audit log',
} as const;

export type LimitName = keyof typeof limitWords;

export const limitNames = Object.keys(limitWords) as LimitName[];

/** The maximum number of each resource in an organization. */
export type PlanLimits = Record<LimitName, number>;

/** The limits that an organization's plan sets; `unknown` while billing cannot be reached. */
export type LimitsNow = PlanLimits | 'unknown';

/**
 * The limits of an organization from billing, which caches them for half a second. They are not cached here as well, so
 * that a change of the plan takes effect within that half second.
 *
 * @throws NOT_FOUND for an unknown organization.
 */
export async function limitsOf(ctx: Pick<Context, 'call'>, orgId: string): Promise<LimitsNow> {
  try {
    return (await call(ctx, 'billing.limits.describe', { body: { orgId } })).limits;
  } catch (error) {
    const code = errorCode(error);
    if (code && code !== 'UNAVAILABLE' && code !== 'INTERNAL') throw error;
    return 'unknown';
  }
}

type Addition = { orgId: string; name: LimitName; present: number; added?: number };

/**
 * Throws when the plan has no room for further resources in addition to the `present` ones. Resources above the limit,
 * such as after a downgrade, are kept.
 *
 * @throws PLAN_LIMIT_EXCEEDED naming the resource and the limit; UNAVAILABLE the limits are unknown.
 */
export function requireRoom(limits: LimitsNow, { orgId, name, present, added = 1 }: Addition): void {
  if (added <= 0) return;
  if (limits === 'unknown') throw apiError('UNAVAILABLE');
  const limit = limits[name];
  if (present + added <= limit) return;
  const message = `The organization’s plan allows ${limit} ${limitWords[name]}; remove some, or upgrade for more.`;
  throw apiError('PLAN_LIMIT_EXCEEDED', { message, upgradeUrl: upgradeUrlOf(orgId) });
}
