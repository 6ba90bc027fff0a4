import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/** An organization's usage of a meter in a past period. */
export type UsagePeriodDocument = {
  /** The counter's id: `<orgId>:<meter>:<the period's start>`. */
  _id: string;
  orgId: string;
  meter: string;
  periodStart: Date;
  periodEnd: Date;
  /** In the meter's units. */
  used: number;
  /** The limit at the last reservation, in the limit's unit, which for some meters is larger than the meter's. */
  limit: number;
  /** The counter's revision when it was read. After a late commit or refund the period is archived again. */
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
// For retention, across all tenants.
schema.index({ periodEnd: 1 });

export const UsagePeriodModel = model('BillingUsagePeriod', schema);
