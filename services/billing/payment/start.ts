import { minute } from '../../../lib/data/clock.ts';
import { everyMinutes } from '../../../mixins/cron/cron.ts';
import { sweepCheckouts } from '../checkouts/sweep-checkouts.ts';
import { fromNow, loadClockOffset } from '../clock.ts';
import { reopenStaleDrafts } from '../invoices/issue-invoice.ts';
import type { BillingJob } from '../jobs.ts';
import { handleEffects } from '../subscriptions/effects.ts';
import { effectHandlers } from './effects.ts';
import { deliverWebhooks } from './sandbox.ts';
import { sweepWebhooks } from './webhooks.ts';

/** The age in milliseconds from which a draft counts as interrupted; a younger one may be in flight. */
const abandonedAfter = 5 * minute;

/** Registers the effect handlers of this process; for the start of the service. */
export async function startPayment(): Promise<void> {
  await loadClockOffset();
  handleEffects(effectHandlers);
}

/** The scheduled jobs of payments, on one node of the pool. */
export const paymentJobs: BillingJob[] = [
  {
    name: 'billing.webhooks',
    period: everyMinutes(1),
    async run(ctx, signal) {
      await deliverWebhooks(ctx, signal);
      await sweepWebhooks(ctx, signal);
    },
  },
  { name: 'billing.checkouts', period: everyMinutes(1), run: sweepCheckouts },
  { name: 'billing.drafts', period: everyMinutes(5), run: () => reopenStaleDrafts(fromNow(-abandonedAfter)) },
];
