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

/** The receipt of a take; throws the error for a quota that was refused. */
export function requireTaken<R>(
  { outcome, receipt }: { outcome: QuotaRefusal | 'taken'; receipt?: R | null | undefined },
  orgId: string,
): R {
  if (outcome === 'taken' && receipt) return receipt;
  throw quotaError(outcome === 'taken' ? 'unavailable' : outcome, orgId);
}

/** The error for a quota that was refused; the caller throws it. */
export function quotaError(outcome: QuotaRefusal, orgId: string): Error {
  if (outcome === 'unavailable') return apiError('UNAVAILABLE');
  return apiError(codes[outcome], { upgradeUrl: upgradeUrlOf(orgId) });
}
