import { apiError } from './errors.ts';
import { settings } from './settings.ts';

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
