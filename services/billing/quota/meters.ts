import { day } from '../../../lib/clock.ts';

type Kind = 'day' | 'month' | 'gauge';

const gigabyte = 1_000_000_000;

/**
 * The meters. A meter is named as its limit in the entitlements, `<group>.<limit>`. Counters start at zero in every
 * period; a gauge goes up and down and is never reset. `unit`: how many units one of the limit is, for units are whole
 * and a limit in gigabytes is not; those are counted in bytes.
 */
export const meters = {
  'context.eventsPerDay': { kind: 'day', unit: 1 },
  'intelligence.recommendationsPerDay': { kind: 'day', unit: 1 },
  'notification.sendsPerMonth': { kind: 'month', unit: 1 },
  'mail.sendsPerMonth': { kind: 'month', unit: 1 },
  'storage.bandwidthGbPerMonth': { kind: 'month', unit: gigabyte },
  'storage.storageGb': { kind: 'gauge', unit: gigabyte },
  'connect.agentSeats': { kind: 'gauge', unit: 1 },
} as const satisfies Record<string, { kind: Kind; unit: number }>;

export type Meter = keyof typeof meters;

export const meterNames = Object.keys(meters) as [Meter, ...Meter[]];
export const gaugeNames = meterNames.filter((meter) => meters[meter].kind === 'gauge') as [Meter, ...Meter[]];

/** From `start` until just before `end`, by UTC. */
export type Period = { start: Date; end: Date };

/** The period of a meter that an instant lies in; null for a gauge. */
export function periodOf(meter: Meter, instant: Date): Period | null {
  const { kind } = meters[meter];
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
