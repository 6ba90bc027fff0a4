import { z } from 'zod';
import type { Ctx } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { now as realNow, second } from '../../lib/data/clock.ts';
import { type SubscriptionDocument, SubscriptionModel } from '../../models/billing/subscription.ts';
import { sweepCheckouts } from './checkouts/sweep-checkouts.ts';
import { clockOffset, now, requireMovableClock, storeClockOffset } from './clock.ts';
import { archiveEndedPeriods } from './jobs.ts';
import { deliverWebhooks } from './payment/sandbox.ts';
import { sweepWebhooks } from './payment/webhooks.ts';
import { sweepSubscriptions } from './subscriptions/sweep.ts';
import { warnOfUsage } from './usage/warnings.ts';

const sweeps = [sweepSubscriptions, deliverWebhooks, sweepWebhooks, sweepCheckouts, warnOfUsage, archiveEndedPeriods];

/** Runs all due jobs immediately instead of at their scheduled time. */
async function sweepBilling(ctx: Ctx): Promise<void> {
  const { signal } = new AbortController();
  for (const sweep of sweeps) await sweep(ctx, signal);
}

const year = 366 * 24 * 3600;
/** The maximum offset, beyond any realistic test. */
const maxMove = 10 * year;
const maxStops = 10_000;

/** Billing's clock after the change, and its offset from the real time. */
const movedClock = z.strictObject({ now: z.string(), offsetSeconds: z.int() });

/**
 * `billing.clock.move`, for testing renewals: sets the clock of billing ahead. Before it answers, everything due until
 * then is processed in order, each at its own time. With 0 it answers the present time. Refused where payments are
 * real.
 */
export const moveClock = defineAction({
  summary: 'Set the clock of billing ahead',
  permission: 'internal',
  input: { body: z.strictObject({ seconds: z.int().min(0).max(maxMove) }) },
  output: movedClock,
  errors: ['NOT_FOUND'],
  limits: { milliseconds: 0 },
  async handler({ body: { seconds }, ctx }) {
    requireMovableClock();
    if (seconds > 0) await moveTo(ctx, new Date(now().getTime() + seconds * second));
    return toClockResponse();
  },
});

/** `billing.clock.reset`: sets billing's clock to the platform's. Processed renewals are not undone. */
export const resetClock = defineAction({
  summary: 'Set the clock of billing to the real time',
  permission: 'internal',
  input: {},
  output: movedClock,
  errors: ['NOT_FOUND'],
  async handler() {
    requireMovableClock();
    await storeClockOffset(0);
    return toClockResponse();
  },
});

function toClockResponse(): z.output<typeof movedClock> {
  return { now: now().toISOString(), offsetSeconds: Math.round(clockOffset() / second) };
}

async function moveTo(ctx: Ctx, target: Date): Promise<void> {
  let previous = now();
  for (let stops = 0; stops < maxStops; stops += 1) {
    const stop = await nextStop(previous, target);
    await storeClockOffset(stop.getTime() - realNow().getTime());
    await sweepBilling(ctx);
    if (stop >= target) return;
    previous = stop;
  }
  await storeClockOffset(target.getTime() - realNow().getTime());
  await sweepBilling(ctx);
}

/** When the next subscription is due, or a day is over: usage is counted by days. */
async function nextStop(previous: Date, target: Date): Promise<Date> {
  const midnight = new Date(Date.UTC(previous.getUTCFullYear(), previous.getUTCMonth(), previous.getUTCDate() + 1));
  const due = await SubscriptionModel.findOne({ dueAt: { $gt: previous, $lte: target } }, { dueAt: 1 })
    .setOptions({ acrossTenants: true, sort: { dueAt: 1 } })
    .lean<Pick<SubscriptionDocument, 'dueAt'>>();
  return [midnight, due?.dueAt ?? target, target].reduce((one, other) => (other < one ? other : one));
}
