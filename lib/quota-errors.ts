import { fail } from './errors.ts';
import { settings } from './settings.ts';

export type QuotaRefusal = 'exceeded' | 'notIncluded' | 'paymentRequired' | 'unavailable';

const codes = {
  exceeded: 'PLAN_LIMIT_EXCEEDED',
  notIncluded: 'SERVICE_NOT_INCLUDED',
  paymentRequired: 'PAYMENT_REQUIRED',
} as const;

/** Where an organization's plan is changed. */
export function upgradeUrlOf(orgId: string): string {
  return `${settings.PUBLIC_URL}/console/billing?orgId=${encodeURIComponent(orgId)}`;
}

/** The refusal of what a plan does not give, to be thrown. */
export function quotaError(outcome: QuotaRefusal, orgId: string): Error {
  if (outcome === 'unavailable') return fail('UNAVAILABLE');
  return fail(codes[outcome], { upgradeUrl: upgradeUrlOf(orgId) });
}
