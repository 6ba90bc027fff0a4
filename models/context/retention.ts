import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/tenant-guard.ts';

/** How long an organization's events are kept, by the entitlements that the sweep has last read. */
export type RetentionDocument = {
  /** The organization's id. */
  _id: string;
  orgId: string;
  /** Grows by one with each change, for optimistic concurrency control. */
  revision: number;
  /** The days that apply now. */
  days: number;
  /**
   * Pending reductions of the days by a changed plan, which do not apply yet: the largest first, each with its start.
   */
  lesser: { days: number; since: Date }[];
};

const schema = new Schema<RetentionDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    revision: { type: Number, required: true },
    days: { type: Number, required: true },
    lesser: { type: [{ _id: false, days: Number, since: Date }], required: true },
  },
  { collection: 'context_retentions', versionKey: false },
);
schema.plugin(tenantGuard);

export const RetentionModel = model('ContextRetention', schema);
