import { once } from '../concurrency/once.ts';
import type { CallInput } from '../contract/context.ts';
import { apiError, type QuotaState } from '../contract/errors.ts';
import { day } from '../data/clock.ts';
import { inDecimalUnits } from '../format/bytes.ts';
import { settings } from '../settings/settings.ts';

export type Meter = CallInput<'billing.quota.take'>['body']['meter'];

/** The answer to a reservation. A node of the previous release answers several reservations without `used`. */
type Taken = {
  outcome: QuotaRefusal['reason'] | 'taken';
  limit?: number | null | undefined;
  used?: number | null | undefined;
  period?: { start: string; end: string } | null | undefined;
};

/** Why units were not reserved. `quota` is the use of the exceeded limit in units of the meter; null where unknown. */
export type QuotaRefusal = {
  reason: 'exceeded' | 'notIncluded' | 'paymentRequired' | 'unavailable';
  quota: QuotaUse | null;
};

type QuotaUse = { meter: Meter; used: number; limit: number; period: { start: string; end: string } | null };

const codes = {
  exceeded: 'PLAN_LIMIT_EXCEEDED',
  notIncluded: 'SERVICE_NOT_INCLUDED',
  paymentRequired: 'PAYMENT_REQUIRED',
} as const;

export const unavailable: QuotaRefusal = { reason: 'unavailable', quota: null };

/** The page on which the organization's plan can be changed. */
export function upgradeUrlOf(orgId: string): string {
  return `${settings.PUBLIC_URL}/console/billing?orgId=${encodeURIComponent(orgId)}`;
}

/** Returns the receipt of a reservation; throws the error of a rejected one. */
export function requireTaken<R>(
  taken: Taken & { receipt?: R | null | undefined },
  { orgId, meter }: { orgId: string; meter: Meter },
): R {
  if (taken.outcome === 'taken' && taken.receipt) return taken.receipt;
  throw quotaError(taken.outcome === 'taken' ? unavailable : refusalOf(meter, taken), orgId);
}

/** The refusal of a reservation that was rejected, or granted fewer units than requested. */
export function refusalOf(meter: Meter, { outcome, limit, used, period = null }: Taken): QuotaRefusal {
  const reason = outcome === 'taken' ? 'exceeded' : outcome;
  const isKnown = reason === 'exceeded' && typeof limit === 'number' && typeof used === 'number';
  return { reason, quota: isKnown ? { meter, used, limit, period } : null };
}

/** The error of a rejected reservation; the caller throws it. */
export function quotaError({ reason, quota }: QuotaRefusal, orgId: string): Error {
  if (reason === 'unavailable') return apiError('UNAVAILABLE');
  const upgradeUrl = upgradeUrlOf(orgId);
  if (!quota) return apiError(codes[reason], { upgradeUrl });
  const { period, ...use } = quota;
  const state: QuotaState = { ...use, resetsAt: period?.end ?? null };
  const message = `${useInWords(quota)}. ${remedyOf(quota)}, or upgrade: ${upgradeUrl}`;
  return apiError(codes[reason], { message, quota: state, upgradeUrl });
}

type Words = { units: string; remedy?: string; areBytes?: true };

/** The units of the platform's meters, and for a gauge what lowers it. The units of storage are bytes. */
const words: Record<string, Words | undefined> = {
  'context.eventsPerDay': { units: 'events' },
  'intelligence.recommendationsPerDay': { units: 'recommendations' },
  'notification.sendsPerMonth': { units: 'notifications' },
  'mail.sendsPerMonth': { units: 'mails' },
  'storage.bandwidthGbPerMonth': { units: 'of bandwidth', areBytes: true },
  'storage.storageGb': { units: 'of storage', remedy: 'Delete objects', areBytes: true },
  'connect.agentSeats': { units: 'agent seats', remedy: 'Remove an agent' },
};

/** The use of a limit: `1,000 of 1,000 events used today`. */
function useInWords({ meter, used, limit, period }: QuotaUse): string {
  // The name in words of a declared meter is known to billing only.
  const { units, areBytes }: Words = words[meter] ?? { units: `units of ${meter}` };
  const [present, maximum] = areBytes ? [bytesInWords(used), bytesInWords(limit)] : [inFull(used), inFull(limit)];
  const rest = used < limit ? ', too few left for this request' : '';
  return `${present} of ${maximum} ${units} used${period ? inPeriod(period) : ''}${rest}`;
}

const inPeriod = ({ start, end }: { start: string; end: string }): string =>
  Date.parse(end) - Date.parse(start) === day ? ' today' : ' this month';

function remedyOf({ meter, period }: QuotaUse): string {
  if (!period) return words[meter]?.remedy ?? 'Remove some';
  if (inPeriod(period) === ' today') return 'Resets at 00:00 UTC';
  return `Resets on ${dates().format(new Date(period.end))} at 00:00 UTC`;
}

const dates = once(() => new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' }));
const inFull = (count: number): string => count.toLocaleString('en');

/** A size in decimal units, rounded down: `18.4 GB`. */
function bytesInWords(bytes: number): string {
  const { amount, unit } = inDecimalUnits(bytes);
  return `${inFull(Math.floor(amount * 10) / 10)} ${unit}`;
}
