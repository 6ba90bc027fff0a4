import { type CallContext, type CallOutput, call } from '../contract/context.ts';
import type { DeclaredLimitName } from '../contract/declared-limits.ts';
import { apiError, errorCode } from '../contract/errors.ts';
import { upgradeUrlOf } from './quota-refusal.ts';

/**
 * The resources whose number a plan limits, each with its name in error messages. The limits are in
 * `services/billing/plans/plans.actions.ts`, which does not compile without a number for each name.
 */
export const limitWords = {
  permissions: 'permissions',
  roles: 'roles',
  assignments: 'role assignments',
  members: 'members',
  applications: 'applications',
  apiKeys: 'API keys',
  oauthClients: 'OAuth clients',
  buckets: 'buckets',
  objects: 'objects',
  bucketNames: 'bucket names, including deleted buckets',
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

/**
 * The limits that an organization's plan sets; `unknown` while billing cannot be reached. `declared`: of the resources
 * that services declare, by name. A node of the previous release answers without them.
 */
export type LimitsNow = (PlanLimits & { declared?: DeclaredCounts }) | 'unknown';

type DeclaredCounts = CallOutput<'billing.limits.describe'>['declared'];

/**
 * The limits of an organization from billing, which caches them for half a second. They are not cached here as well, so
 * that a change of the plan takes effect within that half second.
 *
 * @throws NOT_FOUND for an unknown organization.
 */
export async function limitsOf(ctx: CallContext, orgId: string): Promise<LimitsNow> {
  try {
    const { limits, declared } = await call(ctx, 'billing.limits.describe', { body: { orgId } });
    return { ...limits, declared };
  } catch (error) {
    const code = errorCode(error);
    if (code && code !== 'UNAVAILABLE' && code !== 'INTERNAL') throw error;
    return 'unknown';
  }
}

/** `name`: a limit of the platform, or one that the service declares in its `metadata.limits`. */
type Addition = { orgId: string; name: LimitName | DeclaredLimitName; present: number; added?: number };

/**
 * Throws when the plan has no room for further resources in addition to the `present` ones. Resources above the limit,
 * such as after a downgrade, are kept.
 *
 * @throws PLAN_LIMIT_EXCEEDED naming the resource and the limit; UNAVAILABLE the limits are unknown, or billing does not
 * know the declaration yet.
 */
export function requireRoom(limits: LimitsNow, { orgId, name, present, added = 1 }: Addition): void {
  if (added <= 0) return;
  const found = limits === 'unknown' ? null : limitNamed(limits, name);
  if (!found) throw apiError('UNAVAILABLE');
  const { limit, words } = found;
  if (present + added <= limit) return;
  const message = `The organization’s plan allows ${limit} ${words}; remove some, or upgrade for more.`;
  throw apiError('PLAN_LIMIT_EXCEEDED', { message, upgradeUrl: upgradeUrlOf(orgId) });
}

function limitNamed(limits: Exclude<LimitsNow, 'unknown'>, name: string): { limit: number; words: string } | null {
  if (isLimitName(name)) return { limit: limits[name], words: limitWords[name] };
  const { declared = {} } = limits;
  const found = Object.hasOwn(declared, name) ? declared[name] : undefined;
  return found ? { limit: found.limit, words: found.name } : null;
}

const isLimitName = (name: string): name is LimitName => Object.hasOwn(limitWords, name);
