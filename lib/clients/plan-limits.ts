import { type CallContext, call } from '../contract/context.ts';
import { apiError, errorCode } from '../contract/errors.ts';
import { settings } from '../settings/settings.ts';

export type QuotaRefusal = 'exceeded' | 'notIncluded' | 'paymentRequired' | 'unavailable';

const codes = {
  exceeded: 'PLAN_LIMIT_EXCEEDED',
  notIncluded: 'SERVICE_NOT_INCLUDED',
  paymentRequired: 'PAYMENT_REQUIRED',
} as const;

/** The page on which the organization's plan can be changed. */
export function upgradeUrlOf(orgId: string): string {
  return `${settings.PUBLIC_URL}/console/billing?orgId=${encodeURIComponent(orgId)}`;
}

/** Returns the receipt of a reservation; throws the error of a rejected one. */
export function requireTaken<R>(
  { outcome, receipt }: { outcome: QuotaRefusal | 'taken'; receipt?: R | null | undefined },
  orgId: string,
): R {
  if (outcome === 'taken' && receipt) return receipt;
  throw quotaError(outcome === 'taken' ? 'unavailable' : outcome, orgId);
}

/** The error of a rejected reservation; the caller throws it. */
export function quotaError(outcome: QuotaRefusal, orgId: string): Error {
  if (outcome === 'unavailable') return apiError('UNAVAILABLE');
  return apiError(codes[outcome], { upgradeUrl: upgradeUrlOf(orgId) });
}

/**
 * The resources whose number a plan limits, each with its name in error messages. The limits are in
 * `services/billing/plans/plans.actions.ts`, which does not compile without a number for each name.
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
export async function limitsOf(ctx: CallContext, orgId: string): Promise<LimitsNow> {
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
