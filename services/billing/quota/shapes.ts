import { z } from 'zod';
import { idPattern } from '../../../lib/ids.ts';
import { timestamp } from '../../../lib/instant.ts';
import { singleLine } from '../../../lib/text.ts';
import type { Grant } from './asks.ts';
import { type CounterName, meterNames } from './meters.ts';
import type { TakeInput } from './quota.ts';

const maxKeyLength = 200;

export const orgId = z.string().regex(idPattern('org'), 'Must be the id of an organization.');
export const meter = z.enum(meterNames);
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
  owner: z.string().regex(/^[a-z-]{1,40}$/),
  /** Whether to grant the remaining units when fewer than `amount` remain. */
  partly: z.boolean().default(false),
  /** Whether the key is recorded for 48 hours after the work; turn it off for a key that is never reused. */
  remember: z.boolean().default(true),
});

/** An amount of zero is allowed only together with prefetched units. */
export const takeInput = takeFields.refine(
  ({ amount: requested, ahead }) => requested > 0 || (requested === 0 && ahead > 0),
  {
    path: ['amount'],
    message: 'Must be at least 1.',
  },
);

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
export const takeOutputOfMany = z.strictObject({ outcome: z.enum([...outcomes, 'unavailable']), ...grantFields });

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
