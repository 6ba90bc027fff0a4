import { model, Schema } from 'mongoose';
import type { PlanName } from '../../lib/contract/declared-limits.ts';

export { type PlanName, planNames } from '../../lib/contract/declared-limits.ts';

export const billingCycles = ['monthly', 'yearly'] as const;
export const currencies = ['eur', 'usd'] as const;

export type BillingCycle = (typeof billingCycles)[number];
export type Currency = (typeof currencies)[number];

/** A version of a plan with a billing cycle. */
export type Terms = { plan: PlanName; version: number; billingCycle: BillingCycle };

/** A part of the platform in a plan: with its limits, or not included. */
type Group<Limits = object> = ({ enabled: true } & Limits) | { enabled: false };

/**
 * The entitlements of a plan. Daily and monthly limits follow UTC; `contextRetentionDays` is the retention of events.
 */
export type Entitlements = {
  context: Group<{ eventsPerDay: number; contextRetentionDays: number }>;
  intelligence: Group<{ recommendationsPerDay: number }>;
  connect: Group<{ channels: string[]; agentSeats: number }>;
  notification: Group<{ sendsPerMonth: number }>;
  mail: Group<{ sendsPerMonth: number }>;
  storage: Group<{ storageGb: number; bandwidthGbPerMonth: number }>;
  content: Group;
  pulse: Group;
};

/**
 * Whether prices include tax, in Stripe's term. All prices, amounts due and invoice lines include it; code that states
 * so or passes it to a provider uses this constant.
 */
export const taxBehavior = 'inclusive' as const;
export type TaxBehavior = typeof taxBehavior;

/** The price of a cycle in the currency's minor unit; for tax see {@link taxBehavior}. */
export type Prices = Record<BillingCycle, Record<Currency, number>>;

/**
 * A version of a plan that was sold or granted at least once, with the highest entitlements that it ever had; `_id` is
 * `pro@2`. It belongs to no tenant: its terms apply to all organizations with this version.
 */
export type SoldVersionDocument = { _id: string; entitlements: Entitlements; prices: Prices; soldAt: Date };

const schema = new Schema<SoldVersionDocument>(
  {
    _id: String,
    entitlements: { type: Schema.Types.Mixed, required: true },
    prices: { type: Schema.Types.Mixed, required: true },
    soldAt: { type: Date, required: true },
  } as never,
  { collection: 'billing_sold_versions', versionKey: false, minimize: false },
);

export const SoldVersionModel = model('BillingSoldVersion', schema);
