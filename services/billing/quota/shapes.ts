import { z } from 'zod';
import { groupOf } from '../../../lib/contract/declared-limits.ts';
import { singleLine, timestamp } from '../../../lib/contract/input.ts';
import { day } from '../../../lib/data/clock.ts';
import { idPattern } from '../../../lib/data/ids.ts';
import type { EntitlementsCache } from '../subscriptions/entitlements.ts';
import { isBuiltInMeter, isMeterName, limitIn, type Meter, meterOf } from './meters.ts';
import type { TakeInput } from './quota.ts';
import type { Allowance, Receipt } from './store.ts';
import type { Grant } from './take.ts';

/** From `start` until just before `end`, by UTC. */
export type Period = { start: Date; end: Date };

/** The period of a meter that an instant lies in; null for a gauge. */
export function periodOf(meter: Meter, instant: Date): Period | null {
  const { kind } = meterOf(meter);
  if (kind === 'gauge') return null;
  const [year, month] = [instant.getUTCFullYear(), instant.getUTCMonth()];
  if (kind === 'month') return { start: new Date(Date.UTC(year, month)), end: new Date(Date.UTC(year, month + 1)) };
  const start = new Date(Date.UTC(year, month, instant.getUTCDate()));
  return { start, end: new Date(start.getTime() + day) };
}

/** The counter of a meter at an instant. */
export type CounterName = { _id: string; orgId: string; meter: Meter; period: Period | null };

export function counterAt(orgId: string, meter: Meter, instant: Date): CounterName {
  const period = periodOf(meter, instant);
  return { _id: `${orgId}:${meter}:${period?.start.toISOString() ?? 'gauge'}`, orgId, meter, period };
}

/** The counter of a receipt. */
export function counterOf({ counter, orgId, meter }: Pick<Receipt, 'counter' | 'orgId' | 'meter'>): CounterName {
  const start = new Date(counter.slice(`${orgId}:${meter}:`.length));
  return { _id: counter, orgId, meter, period: Number.isNaN(start.getTime()) ? null : periodOf(meter, start) };
}

/** The allowance of a meter in a subscription status. With `expired` nothing is allowed before the payment. */
export function allowanceIn(
  granted: Pick<EntitlementsCache, 'status' | 'grantedPlan' | 'entitlements'>,
  meter: Meter,
): Allowance {
  if (granted.status === 'expired') return { outcome: 'paymentRequired' };
  const limit = limitIn(granted, meter);
  return limit === null ? { outcome: 'notIncluded' } : { outcome: 'included', limit };
}

const maxKeyLength = 200;

export const orgId = z.string().regex(idPattern('org'), 'Must be the id of an organization.');
export const meter = z.custom<Meter>((name) => typeof name === 'string' && isMeterName(name), 'Must be a meter.');
export const amount = z.number().int().min(1);
export const key = singleLine(maxKeyLength);

const takeFields = z.strictObject({
  orgId,
  meter,
  /** Units: events, sends, seats; bytes where the limit is in gigabytes. */
  amount: z.number().int(),
  /** Units to prefetch for later takes, in addition to the amount; fewer near the limit. Settle within a second. */
  ahead: z.number().int().min(0).default(0),
  /** The idempotency key of the work. */
  key,
  /** The service whose `<owner>.quota.settle` reports how much of the work was done. */
  owner: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/),
  /** Whether to grant the remaining units when fewer than `amount` remain. */
  partly: z.boolean().default(false),
  /** Whether the key is recorded for 48 hours after the work; turn it off for a key that is never reused. */
  remember: z.boolean().default(true),
});

/** An amount of zero is allowed only together with prefetched units. */
export const takeInput = takeFields
  .refine(({ amount: requested, ahead }) => requested > 0 || (requested === 0 && ahead > 0), {
    path: ['amount'],
    message: 'Must be at least 1.',
  })
  .refine(({ meter: taken, owner }) => isBuiltInMeter(taken) || owner === groupOf(taken), {
    path: ['owner'],
    message: 'Must be the service that declares the meter.',
  });

export const receipt = z.strictObject({
  orgId,
  counter: z.string(),
  meter,
  key,
  nonce: z.string(),
  amount: z.number().int().min(0),
  remembered: z.boolean(),
});

export const period = z.strictObject({ start: timestamp, end: timestamp }).nullable();

const grantFields = {
  /** The units granted; less than requested only with `partly`. */
  taken: z.number(),
  limit: z.number().nullable(),
  period,
  /** Pass it to commit or refund. */
  receipt: receipt.nullable(),
  /** Whether this take made the reservation, not an earlier one with the same key. */
  isFresh: z.boolean(),
};

const outcomes = ['taken', 'exceeded', 'notIncluded', 'paymentRequired'] as const;

export const takeOutput = z.strictObject({
  outcome: z.enum(outcomes),
  ...grantFields,
  /** In the period, with open reservations. */
  used: z.number(),
});

/** Each take fails separately; with `unavailable` it may or may not have been reserved. */
export const takeOutputOfMany = z.strictObject({
  outcome: z.enum([...outcomes, 'unavailable']),
  ...grantFields,
  /** In the period, with open reservations; null unless the take was refused. */
  used: z.number().nullable(),
});

export function toTakeInput({ partly, remember, ...rest }: z.output<typeof takeInput>): TakeInput {
  return { ...rest, isPartly: partly, remembered: remember };
}

export function toGrantResponse(grant: Grant & { counter: CounterName }): Omit<z.output<typeof takeOutput>, 'used'> {
  const { counter, outcome, limit, receipt: reservation, isFresh } = grant;
  return {
    outcome,
    taken: reservation?.amount ?? 0,
    limit,
    period: toPeriodResponse(counter),
    receipt: reservation,
    isFresh,
  };
}

export function toPeriodResponse({ period: of }: CounterName): z.output<typeof period> {
  return of && { start: of.start.toISOString(), end: of.end.toISOString() };
}
