import { z } from 'zod';
import { idPattern } from '../../../lib/ids.ts';
import { timestamp } from '../../../lib/instant.ts';
import { singleLine } from '../../../lib/text.ts';
import type { Grant } from './asks.ts';
import { type CounterName, meterNames } from './meters.ts';
import type { TakeInput } from './quota.ts';

const maxKeyLength = 200;

export const orgId = z.string().regex(idPattern('org'), 'Send the id of an organization.');
export const meter = z.enum(meterNames);
export const amount = z.number().int().min(1);
export const key = singleLine(maxKeyLength);

const takeFields = z.strictObject({
  orgId,
  meter,
  /** Units: events, sends, seats; bytes where the limit is in gigabytes. */
  amount: z.number().int(),
  /** Prefetched units for the next takes, on top of the amount; fewer when little is left. Settle within a second. */
  ahead: z.number().int().min(0).default(0),
  /** The idempotency key of the work; the same key again is the same take. */
  key,
  /** The service whose `<owner>.quota.settle` reports how much of the work was done. */
  owner: z.string().regex(/^[a-z-]{1,40}$/),
  /** Whether to grant fewer units, as many as are left. */
  partly: z.boolean().default(false),
  /** Whether the key is remembered for 48 hours after the work; turn it off for a key that is never taken again. */
  remember: z.boolean().default(true),
});

/** An amount of zero is allowed only together with prefetched units. */
export const takeInput = takeFields.refine(({ amount: wanted, ahead }) => wanted > 0 || (wanted === 0 && ahead > 0), {
  path: ['amount'],
  message: 'Send how many are wanted, from 1.',
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
  /** Whether this very take reserved it, not an earlier one of the same key. */
  isFresh: z.boolean(),
};

const outcomes = ['taken', 'exceeded', 'notIncluded', 'paymentRequired'] as const;

export const takeOutput = z.strictObject({
  outcome: z.enum(outcomes),
  ...grantFields,
  /** In the period, with open reservations. */
  used: z.number(),
});

/** Each take fails on its own; with `unavailable` it may have been reserved or not. */
export const takeOutputOfMany = z.strictObject({ outcome: z.enum([...outcomes, 'unavailable']), ...grantFields });

export function toTakeInput({ partly, remember, ...rest }: z.output<typeof takeInput>): TakeInput {
  return { ...rest, isPartly: partly, remembered: remember };
}

export function toGrantResponse(grant: Grant & { counter: CounterName }): Omit<z.output<typeof takeOutput>, 'used'> {
  const { counter, outcome, limit, receipt: given, isFresh } = grant;
  return { outcome, taken: given?.amount ?? 0, limit, period: toPeriodResponse(counter), receipt: given, isFresh };
}

export function toPeriodResponse({ period: of }: CounterName): z.output<typeof period> {
  return of && { start: of.start.toISOString(), end: of.end.toISOString() };
}
