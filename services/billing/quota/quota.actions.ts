import type { Context } from 'moleculer';
import { Counter } from 'prom-client';
import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { inputError } from '../../../lib/contract/errors.ts';
import { timestamp } from '../../../lib/contract/input.ts';
import { entitlementsNow } from '../subscriptions/entitlements.ts';
import { requireMeter } from './declared-limits.ts';
import { limitIn, type Meter, meterNames, meterOf, unitsOf } from './meters.ts';
import { type Quota, runningQuota } from './quota.ts';
import {
  amount,
  key,
  meter,
  orgId,
  period,
  receipt,
  takeInput,
  takeOutput,
  takeOutputOfMany,
  toGrantResponse,
  toPeriodResponse,
  toTakeInput,
} from './shapes.ts';
import type { Receipt } from './store.ts';

const maxTakes = 500;
const commit = z.strictObject({
  receipt,
  /** The units that the work used; the rest is released. Default all. */
  charged: z.number().int().min(0).optional(),
});

/** `billing.quota.commit`: the work was done. The period of the take is charged. Idempotent. */
export const commitTakes = defineAction({
  summary: 'Commit reserved units',
  permission: 'internal',
  input: { body: z.strictObject({ takes: z.array(commit).min(1).max(maxTakes) }) },
  output: z.void(),
  async handler({ body: { takes }, ctx }) {
    const wrong = takes.findIndex((take) => (take.charged ?? 0) > take.receipt.amount);
    if (wrong >= 0)
      throw inputError([{ path: `body.takes.${wrong}.charged`, message: 'Must be at most the reserved amount.' }]);
    const quota = await quotaOfReceipts(
      ctx,
      takes.map((take) => take.receipt),
    );
    await Promise.all(takes.map(({ receipt: of, charged = of.amount }) => quota.commit({ receipt: of, charged })));
  },
});

/** The quotas for a known meter of a kind. Throws INPUT_INVALID for another kind. */
async function quotaOf(ctx: Pick<Context, 'broker'>, name: Meter, kind: 'gauge' | 'period'): Promise<Quota> {
  await requireMeter(ctx, name);
  if ((meterOf(name).kind === 'gauge') !== (kind === 'gauge')) {
    const message = kind === 'gauge' ? 'Must be a gauge.' : 'Must be a meter of days or months.';
    throw inputError([{ path: 'body.meter', message }]);
  }
  return runningQuota();
}

/** The quotas, once the meters of reservations are known: another node may have reserved them. */
async function quotaOfReceipts(ctx: Pick<Context, 'broker'>, receipts: Receipt[]): Promise<Quota> {
  for (const meter of new Set(receipts.map((one) => one.meter))) await requireMeter(ctx, meter);
  return runningQuota();
}

/**
 * `billing.quota.give-back`: units that were charged for work that then failed through the platform's fault. `chargedAt`
 * is in the period that was charged; a period that is archived stays as it is. The same key counts once.
 */
export const refundUnits = defineAction({
  summary: 'Refund charged units of failed work',
  permission: 'internal',
  input: { body: z.strictObject({ orgId, meter, amount, key, chargedAt: timestamp }) },
  output: z.void(),
  async handler({ body: { orgId: of, meter: name, chargedAt, ...refund }, ctx }) {
    const quota = await quotaOf(ctx, name, 'period');
    await quota.refundUnits(of, name, new Date(chargedAt), refund);
  },
});

const reading = z.strictObject({
  meter,
  used: z.number(),
  /** The part of `used` in open reservations. */
  reserved: z.number(),
  /** In units; null: not included. */
  limit: z.number().nullable(),
  period,
  revision: z.number(),
});

/** `billing.quota.read`: the usage and limits of meters in the present period. */
export const readQuota = defineAction({
  summary: 'Read the usage of quotas',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ orgId, meters: z.array(meter).optional() }) },
  output: z.strictObject({ meters: z.array(reading) }),
  async handler({ body, ctx }) {
    const granted = await entitlementsNow(ctx, body.orgId);
    const quota = runningQuota();
    const readings = (body.meters ?? meterNames()).map(async (name) => {
      await requireMeter(ctx, name);
      const { counter, ...rest } = await quota.read(body.orgId, name);
      const limit = limitIn(granted, name);
      return {
        meter: name,
        ...rest,
        limit: limit === null ? null : unitsOf(limit, name),
        period: toPeriodResponse(counter),
      };
    });
    return { meters: await Promise.all(readings) };
  },
});

/** `billing.quota.refund`: the work was not and will not be done. Without effect after a commit. Idempotent. */
export const refundTakes = defineAction({
  summary: 'Release reserved units',
  permission: 'internal',
  input: { body: z.strictObject({ takes: z.array(receipt).min(1).max(maxTakes) }) },
  output: z.void(),
  async handler({ body: { takes }, ctx }) {
    const quota = await quotaOfReceipts(ctx, takes);
    await Promise.all(takes.map((take) => quota.refund(take)));
  },
});

/** `billing.quota.release`: counted units are gone for good, so that the gauge is lowered. The same key counts once. */
export const releaseGaugeAction = defineAction({
  summary: 'Release units of a gauge',
  permission: 'internal',
  input: { body: z.strictObject({ orgId, meter, amount, key }) },
  output: z.void(),
  async handler({ body: { orgId: owner, meter: name, ...release }, ctx }) {
    const quota = await quotaOf(ctx, name, 'gauge');
    await quota.releaseGauge(owner, name, [release]);
  },
});

const maxReleases = 500;

/** `billing.quota.release-many`: releases units of a gauge for several keys, in one update of its counter. */
export const releaseGaugeMany = defineAction({
  summary: 'Release units of a gauge by several keys',
  permission: 'internal',
  input: {
    body: z.strictObject({
      orgId,
      meter,
      releases: z.array(z.strictObject({ amount, key })).min(1).max(maxReleases),
    }),
  },
  output: z.void(),
  async handler({ body: { orgId: owner, meter: name, releases }, ctx }) {
    const quota = await quotaOf(ctx, name, 'gauge');
    await quota.releaseGauge(owner, name, releases);
  },
});

/**
 * `billing.quota.renew`: the work of these takes is still in progress. Renews their leases; `held` is false for one
 * that has ended, or was released because its lease had expired.
 */
export const renewTakes = defineAction({
  summary: 'Renew the leases of reservations',
  permission: 'internal',
  input: { body: z.strictObject({ takes: z.array(receipt).min(1).max(maxTakes) }) },
  output: z.strictObject({ held: z.array(z.boolean()) }),
  async handler({ body: { takes }, ctx }) {
    const quota = await quotaOfReceipts(ctx, takes);
    return { held: await Promise.all(takes.map((take) => quota.renew(take))) };
  },
});

const drifts = new Counter({
  name: 'billing_gauge_drifts_total',
  help: 'Gauges that differed from what their owner counted.',
  labelNames: ['meter'],
});

/**
 * `billing.quota.set-gauge`: sets a gauge to its owner's count. With `revision`, read before the count, the outcome is
 * `changed` when units were taken or settled during the count: count again. `drift` is the corrected difference.
 */
export const setGaugeAction = defineAction({
  summary: "Set a gauge to its owner's count",
  permission: 'internal',
  input: {
    body: z.strictObject({
      orgId,
      meter,
      value: z.number().int().min(0),
      revision: z.number().int().min(0).optional(),
    }),
  },
  output: z.strictObject({ outcome: z.enum(['set', 'changed']), drift: z.number() }),
  async handler({ body, ctx }) {
    const quota = await quotaOf(ctx, body.meter, 'gauge');
    const { outcome, ...rest } = await quota.setGauge(body.orgId, body.meter, body.value, body.revision);
    const drift = 'drift' in rest ? rest.drift : 0;
    reportDrift(ctx, { orgId: body.orgId, meter: body.meter, drift });
    return { outcome, drift };
  },
});

/** Counts and logs that a gauge differed from what its owner counted. */
function reportDrift({ broker }: Pick<Context, 'broker'>, about: Drift): void {
  if (about.drift === 0) return;
  drifts.inc({ meter: about.meter });
  broker.logger.warn('Corrected the drift of a gauge', about);
}

type Drift = { orgId: string; meter: string; drift: number };

const takes = new Counter({
  name: 'billing_quota_takes_total',
  help: 'Takes of quota, by meter and outcome.',
  labelNames: ['meter', 'outcome'],
});

/**
 * `billing.quota.take`: reserves units for work that is about to be done, if the plan leaves as many. The same key
 * again gives the same answer and counts once. A reservation that is neither committed nor refunded expires after five
 * minutes, and the sweep asks its owner.
 */
export const takeQuota = defineAction({
  summary: 'Reserve units of a quota',
  permission: 'internal',
  input: { body: takeInput },
  output: takeOutput,
  async handler({ body, ctx }) {
    await requireMeter(ctx, body.meter);
    const grant = await runningQuota().take(toTakeInput(body));
    countTake(body.meter, grant.outcome);
    return { ...toGrantResponse(grant), used: grant.used ?? 0 };
  },
});

function countTake(meter: string, outcome: string): void {
  takes.inc({ meter, outcome });
}

const nothing = { taken: 0, limit: null, period: null, receipt: null, isFresh: false, used: null };

/**
 * `billing.quota.take-many`: the concurrent takes of a node as one batch, each with a separate outcome, in order. A key
 * that was charged before may be reserved again during its work; it is charged once.
 */
export const takeQuotas = defineAction({
  summary: 'Reserve units of several quotas',
  permission: 'internal',
  input: { body: z.strictObject({ takes: z.array(takeInput).min(1).max(maxTakes) }) },
  output: z.strictObject({ takes: z.array(takeOutputOfMany) }),
  async handler({ body, ctx }) {
    const quota = runningQuota();
    const results = await Promise.allSettled(
      body.takes.map(async (take) => {
        await requireMeter(ctx, take.meter);
        return await quota.take({ ...toTakeInput(take), wantsUsed: false });
      }),
    );
    const takes = results.map((result, index) => {
      const grant =
        result.status === 'fulfilled'
          ? { ...toGrantResponse(result.value), used: result.value.used }
          : { outcome: 'unavailable' as const, ...nothing };
      if (result.status === 'rejected') ctx.broker.logger.warn('Quota reservation failed', { error: result.reason });
      countTake(body.takes[index]?.meter ?? '', grant.outcome);
      return grant;
    });
    return { takes };
  },
});

const gauge = { orgId, meter };

/**
 * `billing.quota.read-gauge`: a gauge with its open reservations at one instant, for an owner that counts its work in
 * parts while units are taken and released. `used` includes the open reservations.
 */
export const readGauge = defineAction({
  summary: 'Read a gauge with its open reservations',
  permission: 'internal',
  input: { body: z.strictObject(gauge) },
  output: z.strictObject({
    used: z.number(),
    revision: z.number(),
    open: z.array(z.strictObject({ key, amount: amount.or(z.literal(0)) })),
  }),
  async handler({ body, ctx }) {
    const quota = await quotaOf(ctx, body.meter, 'gauge');
    const { used, revision, open } = await quota.readGauge(body.orgId, body.meter);
    return {
      used,
      revision,
      open: [...open.values()].map(({ key: name, amount: units }) => ({ key: name, amount: units })),
    };
  },
});

/** `billing.quota.correct-gauge`: adds a correction to a gauge. Takes and releases since the count are kept. */
export const correctGauge = defineAction({
  summary: 'Correct the drift of a gauge',
  permission: 'internal',
  input: { body: z.strictObject({ ...gauge, by: z.number().int() }) },
  output: z.strictObject({}),
  async handler({ body: { orgId: owner, meter: name, by }, ctx }) {
    const quota = await quotaOf(ctx, name, 'gauge');
    await quota.correctGauge(owner, name, by);
    reportDrift(ctx, { orgId: owner, meter: name, drift: by });
    return {};
  },
});
