import {
  type DeclaredLimit,
  type DeclaredLimitName,
  groupOf,
  isInBuiltInGroup,
  limitNamePattern,
  type PlanName,
} from '../../../lib/contract/declared-limits.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { gigabyte } from '../../../lib/format/bytes.ts';
import type { EntitlementsCache } from '../subscriptions/entitlements.ts';

export type MeterKind = 'day' | 'month' | 'gauge';

/**
 * The meters of the platform. A meter is named as its limit in the entitlements, `<group>.<limit>`, because a version of
 * a plan keeps the limits with which it was sold. Counters start at zero in every period; a gauge goes up and down and
 * is never reset. `unit`: how many units one of the limit is, for units are whole and a limit in gigabytes is not; those
 * are counted in bytes.
 */
const builtInMeters = {
  'context.eventsPerDay': { kind: 'day', unit: 1 },
  'intelligence.recommendationsPerDay': { kind: 'day', unit: 1 },
  'notification.sendsPerMonth': { kind: 'month', unit: 1 },
  'mail.sendsPerMonth': { kind: 'month', unit: 1 },
  'storage.bandwidthGbPerMonth': { kind: 'month', unit: gigabyte },
  'storage.storageGb': { kind: 'gauge', unit: gigabyte },
  'connect.agentSeats': { kind: 'gauge', unit: 1 },
} as const satisfies Record<string, { kind: MeterKind; unit: number }>;

export type BuiltInMeter = keyof typeof builtInMeters;

/** The name of a meter: the platform's, or one that a service declares. */
export type Meter = BuiltInMeter | DeclaredLimitName;

/** `name`: of its units within a sentence; null for the platform's meters, whose texts are in the catalogue. */
export type MeterInfo = { kind: MeterKind; unit: number; name: string | null };

export const builtInMeterNames = Object.keys(builtInMeters) as [BuiltInMeter, ...BuiltInMeter[]];

/** The limits that services declare, by name; also of services that are absent now. */
const declared = new Map<string, DeclaredLimit>();

/** Registers a declared limit in this process, in place of an earlier declaration of it. */
export function registerLimit(name: string, limit: DeclaredLimit): void {
  declared.set(name, limit);
}

/** A limit that a service declared; undefined for other names. */
export function declaredLimit(name: string): DeclaredLimit | undefined {
  return declared.get(name);
}

/** The declared limits by name, in the order of the names. */
export function declaredLimits(): [name: string, DeclaredLimit][] {
  return [...declared].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Entries by the service and by the name in it, of the names of declared limits: `{ hello: { greetings: 100 } }`. */
export function byService<V>(entries: [name: string, V][]): Record<string, Record<string, V>> {
  const services = Map.groupBy(entries, ([name]) => groupOf(name));
  return Object.fromEntries(
    [...services].map(([service, own]) => [
      service,
      Object.fromEntries(own.map(([name, value]) => [name.slice(service.length + 1), value])),
    ]),
  );
}

/** The limits of a plan that services declare, by service; null for a meter that is not included. */
export function declaredLimitsOf(plan: PlanName): Record<string, Record<string, number | null>> {
  return byService(declaredLimits().map(([name, { limits }]) => [name, limits[plan]]));
}

export function isBuiltInMeter(name: string): name is BuiltInMeter {
  return Object.hasOwn(builtInMeters, name);
}

/** Whether a name can be a meter's: the platform's, or in the namespace of a service. */
export function isMeterName(name: string): name is Meter {
  return isBuiltInMeter(name) || (limitNamePattern.test(name) && !isInBuiltInGroup(name));
}

/** The known meters that services declare, in the order of their names. */
export function declaredMeterNames(): Meter[] {
  return declaredLimits().flatMap(([name, { kind }]) => (kind === 'count' ? [] : [name as Meter]));
}

/** All known meters, the platform's first. */
export function meterNames(): Meter[] {
  return [...builtInMeterNames, ...declaredMeterNames()];
}

/** A known meter; null for other names. */
export function findMeter(name: string): MeterInfo | null {
  if (isBuiltInMeter(name)) return { ...builtInMeters[name], name: null };
  const limit = declared.get(name);
  return limit === undefined || limit.kind === 'count' ? null : { kind: limit.kind, unit: 1, name: limit.name };
}

/**
 * A known meter.
 *
 * @throws UNAVAILABLE no service has declared it, as far as this process knows.
 */
export function meterOf(name: string): MeterInfo {
  const meter = findMeter(name);
  if (!meter) throw apiError('UNAVAILABLE');
  return meter;
}

/** The limit of a meter, in its own unit; null when the plan does not include it. */
export function limitIn(
  { grantedPlan, entitlements }: Pick<EntitlementsCache, 'grantedPlan' | 'entitlements'>,
  meter: Meter,
): number | null {
  if (!isBuiltInMeter(meter)) return declared.get(meter)?.limits[grantedPlan] ?? null;
  const [group, name] = meter.split('.') as [keyof typeof entitlements, string];
  const limits: Record<string, unknown> = entitlements[group];
  return limits.enabled === true && typeof limits[name] === 'number' ? limits[name] : null;
}

/** A limit in units, rounded down: units are whole. */
export function unitsOf(limit: number, meter: Meter): number {
  return Math.floor(limit * meterOf(meter).unit);
}
