import { z } from 'zod';
import { hashJson } from '../../../lib/data/canonical-json.ts';
import {
  type Currency,
  type Entitlements,
  type PlanName,
  type Prices,
  planNames,
  type Terms,
} from '../../../models/billing/sold-version.ts';

const limit = z.number().min(0);
const count = z.int().min(0);

const included = z.literal(true).describe('The plan includes it.');
const notIncluded = z.literal(false).describe('The plan does not include it.');

/** A group with its limits, or without any when it is not included. */
const group = <S extends z.ZodRawShape>(limits: S) =>
  z.discriminatedUnion('enabled', [
    z.strictObject({ enabled: included, ...limits }),
    z.strictObject({ enabled: notIncluded }),
  ]);

/** The entitlements of a plan in API responses. */
export const entitlementsOutput = z
  .strictObject({
    context: group({
      eventsPerDay: count.describe('The events that are accepted per day in UTC.'),
      contextRetentionDays: count.describe('The days for which events are kept.'),
    }).describe('Events and stories.'),
    intelligence: group({ recommendationsPerDay: count.describe('The recommendations per day in UTC.') }).describe(
      'Recommendations.',
    ),
    connect: group({
      channels: z.array(z.string()).describe('The channels that can be used.'),
      agentSeats: count.describe('The members who can be agents.'),
    }).describe('The inbox and the chat widget.'),
    notification: group({ sendsPerMonth: count }).describe('Notifications.'),
    mail: group({ sendsPerMonth: count }).describe('Mail.'),
    storage: group({
      storageGb: limit.describe('The gigabytes that can be stored (1,000,000,000 bytes each).'),
      bandwidthGbPerMonth: limit.describe('The gigabytes that can be delivered per calendar month in UTC.'),
    }).describe('Stored objects.'),
    content: group({}).describe('The service content.'),
    pulse: group({}).describe('The service pulse.'),
  })
  .meta({ id: 'Entitlements' }) satisfies z.ZodType<Entitlements>;

/** The limits of a plan that further services declare, by service; null for a meter that is not included. */
export const servicesOutput = z.record(z.string(), z.record(z.string(), count.nullable()));

/**
 * One version of a plan. The entitlements of a sold version are never lowered and its price never changes: a change is
 * a new version.
 */
export type Plan = {
  name: PlanName;
  version: number;
  /** For people. */
  title: string;
  description: string;
  prices: Prices;
  entitlements: Entitlements;
};

const nothing: Prices = { monthly: { eur: 0, usd: 0 }, yearly: { eur: 0, usd: 0 } };

/** All plans of all releases, the newest version of each last. Prices are in minor units (cents), tax included. */
export const plans: readonly Plan[] = [
  {
    name: 'free',
    version: 1,
    title: 'Free',
    description: 'To try the platform, and for small sites.',
    prices: nothing,
    entitlements: {
      context: { enabled: true, eventsPerDay: 1000, contextRetentionDays: 30 },
      intelligence: { enabled: false },
      connect: { enabled: true, channels: ['web'], agentSeats: 1 },
      notification: { enabled: true, sendsPerMonth: 100 },
      mail: { enabled: true, sendsPerMonth: 500 },
      storage: { enabled: true, storageGb: 1, bandwidthGbPerMonth: 5 },
      content: { enabled: false },
      pulse: { enabled: false },
    },
  },
  {
    name: 'pro',
    version: 1,
    title: 'Pro',
    description: 'For growing teams.',
    prices: { monthly: { eur: 4900, usd: 5400 }, yearly: { eur: 49_000, usd: 54_000 } },
    entitlements: {
      context: { enabled: true, eventsPerDay: 50_000, contextRetentionDays: 365 },
      intelligence: { enabled: true, recommendationsPerDay: 1000 },
      connect: { enabled: true, channels: ['chatapp', 'socialapp', 'web'], agentSeats: 5 },
      notification: { enabled: true, sendsPerMonth: 10_000 },
      mail: { enabled: true, sendsPerMonth: 50_000 },
      storage: { enabled: true, storageGb: 50, bandwidthGbPerMonth: 250 },
      content: { enabled: true },
      pulse: { enabled: false },
    },
  },
  {
    name: 'scale',
    version: 1,
    title: 'Scale',
    description: 'For large teams and high volume.',
    prices: { monthly: { eur: 29_900, usd: 32_900 }, yearly: { eur: 299_000, usd: 329_000 } },
    entitlements: {
      context: { enabled: true, eventsPerDay: 10_000_000, contextRetentionDays: 1825 },
      intelligence: { enabled: true, recommendationsPerDay: 100_000 },
      connect: {
        enabled: true,
        channels: ['chatapp', 'photoapp', 'socialapp', 'microblog', 'phone', 'email', 'web'],
        agentSeats: 100,
      },
      notification: { enabled: true, sendsPerMonth: 1_000_000 },
      mail: { enabled: true, sendsPerMonth: 5_000_000 },
      storage: { enabled: true, storageGb: 2000, bandwidthGbPerMonth: 20_000 },
      content: { enabled: true },
      pulse: { enabled: true },
    },
  },
];

/**
 * A hash of what each version costs and includes, by name: nodes that have one version have it alike. A version that
 * only a newer node has is an update.
 */
export function plansInCommon(): Record<string, string> {
  return Object.fromEntries(
    plans.map(({ name, version, prices, entitlements }) => [
      `plan ${name}@${version}`,
      hashJson({ prices, entitlements }).slice(0, 16),
    ]),
  );
}

/** A version of a plan; undefined for an unknown one. */
export function findPlan(name: PlanName, version: number): Plan | undefined {
  return plans.find((plan) => plan.name === name && plan.version === version);
}

/** The version of a plan that is sold today. */
export function currentPlan(name: PlanName): Plan {
  const newest = plans.filter((plan) => plan.name === name).sort((one, other) => other.version - one.version)[0];
  if (!newest) throw new Error(`There is no plan ${name}.`);
  return newest;
}

/** The plans that are sold today, the least first. */
export function plansOnSale(): Plan[] {
  return planNames.map(currentPlan);
}

/** The entitlements of a plan in the shape of the API: a group that is not included is only `{ enabled: false }`. */
export function entitlementsOf({ entitlements }: Pick<Plan, 'entitlements'>): Entitlements {
  return structuredClone(entitlements);
}

/** The price of a cycle of a plan, in the currency's minor unit. */
export function priceOf({ plan, version, billingCycle }: Terms, currency: Currency): number {
  const found = findPlan(plan, version);
  if (!found) throw new Error(`There is no plan ${plan}@${version}.`);
  return found.prices[billingCycle][currency];
}

/**
 * The direction of a change: an upgrade takes effect immediately, a downgrade at the end of the period. Another version
 * of the same plan in the same cycle is `same`, because a customer keeps their version.
 */
export function directionOf(
  from: Omit<Terms, 'version'>,
  to: Omit<Terms, 'version'>,
): 'same' | 'upgrade' | 'downgrade' {
  const step = planNames.indexOf(to.plan) - planNames.indexOf(from.plan);
  if (step !== 0) return step > 0 ? 'upgrade' : 'downgrade';
  if (to.billingCycle === from.billingCycle || to.plan === 'free') return 'same';
  return to.billingCycle === 'yearly' ? 'upgrade' : 'downgrade';
}
