import type { Ctx } from '../../../../lib/caller.ts';
import { archiveEndedPeriods } from '../../periods/jobs.ts';
import { warnOfUsage } from '../../periods/warnings.ts';
import { sweepSubscriptions } from '../../subscriptions/sweep.ts';
import { sweepCheckouts } from '../checkouts/sweep-checkouts.ts';
import { deliverWebhooks } from '../test/deliver.ts';
import { sweepWebhooks } from '../webhooks/sweep-webhooks.ts';

const sweeps = [sweepSubscriptions, deliverWebhooks, sweepWebhooks, sweepCheckouts, warnOfUsage, archiveEndedPeriods];

/** Runs all due jobs immediately instead of at their scheduled time. */
export async function sweepBilling(ctx: Ctx): Promise<void> {
  const { signal } = new AbortController();
  for (const sweep of sweeps) await sweep(ctx, signal);
}
