import type { ServiceBroker, ServiceSchema } from 'moleculer';
import type { Ctx } from '../../lib/contract/context.ts';
import { cron, daily, everyMinutes, monthly, type Period, type Schedule } from '../../mixins/cron/cron.ts';
import { clockOffset, now } from './clock.ts';
import { sweepQuotas } from './quota/quota.ts';
import { sweepSubscriptions } from './subscriptions/sweep.ts';
import { archivePeriods, closingMeters, metersOfKind, sweepUsageHistory } from './usage/archive.ts';
import { warnOfUsage } from './usage/warnings.ts';

/** Scheduled work of billing, which calls other services. */
export type BillingJob = Omit<Schedule, 'run'> & {
  run: (ctx: Ctx, signal: AbortSignal, period: Date) => Promise<unknown>;
};

/**
 * The scheduled jobs of subscriptions and quotas. Correctness does not depend on them: readers compute the state as of
 * now.
 */
export const periodJobs: BillingJob[] = [
  { name: 'billing.subscriptions', period: everyMinutes(1), run: sweepSubscriptions },
  { name: 'billing.reservations', period: everyMinutes(1), run: (_ctx, signal) => sweepQuotas(now(), signal) },
  { name: 'billing.quota.warnings', period: everyMinutes(1), run: warnOfUsage },
  {
    name: 'billing.quota.daily',
    period: daily,
    catchUp: true,
    run: (ctx, signal, day) =>
      archivePeriods(ctx, { meters: metersOfKind('day'), until: inBilling(daily, day) }, signal),
  },
  {
    name: 'billing.quota.monthly',
    period: monthly,
    catchUp: true,
    run: (ctx, signal, month) =>
      archivePeriods(ctx, { meters: metersOfKind('month'), until: inBilling(monthly, month) }, signal),
  },
  // For reservations that were open when the period ended, late settlements, and the skew of other nodes' clocks.
  { name: 'billing.quota.late', period: everyMinutes(60), run: archiveEndedPeriods },
  { name: 'billing.retention', period: daily, run: (_ctx, signal) => sweepUsageHistory(signal) },
];

/** Archives every period that is over by now. */
export function archiveEndedPeriods(ctx: Ctx, signal: AbortSignal): Promise<void> {
  return archivePeriods(ctx, { meters: closingMeters(), until: now() }, signal);
}

/** The beginning of the period of billing's own clock, where that was moved. */
function inBilling(period: Period, beginning: Date): Date {
  return period.of(new Date(beginning.getTime() + clockOffset()));
}

/** Runs jobs while the service runs. List it before `mongo(…)`, so that it stops first. */
export function billingCron(jobs: BillingJob[]): Partial<ServiceSchema> {
  return cron(
    ...jobs.map(
      ({ run, ...job }) =>
        (broker: ServiceBroker): Schedule => ({
          ...job,
          run: (period, signal) => run(broker.ContextFactory.create(broker) as Ctx, signal, period),
        }),
    ),
  );
}
