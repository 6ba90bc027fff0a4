import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/tenant-guard.ts';

/** What an organization used of a meter in a period that is over. */
export type UsagePeriodDocument = {
  /** The counter's: `<orgId>:<meter>:<the period's start>`. */
  _id: string;
  orgId: string;
  meter: string;
  periodStart: Date;
  periodEnd: Date;
  /** In the meter's units. */
  used: number;
  /** When it was last taken from, in its own unit, which of some meters is larger. */
  limit: number;
  /** The counter's when it was read: what ends late is archived again. */
  revision: number;
  archivedAt: Date;
};

const schema = new Schema<UsagePeriodDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    meter: { type: String, required: true },
    periodStart: { type: Date, required: true },
    periodEnd: { type: Date, required: true },
    used: { type: Number, required: true },
    limit: { type: Number, required: true },
    revision: { type: Number, required: true },
    archivedAt: { type: Date, required: true },
  },
  { collection: 'billing_usage_periods', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, periodStart: -1, _id: -1 });
schema.index({ orgId: 1, meter: 1, periodStart: -1, _id: -1 });
// Retention, of every tenant.
schema.index({ periodEnd: 1 });

export const UsagePeriodModel = model('BillingUsagePeriod', schema);
