import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/tenant-guard.ts';

/** For how long an organization's events are kept, as far as the sweep has seen what its plan gives. */
export type RetentionDocument = {
  /** The organization's id. */
  _id: string;
  orgId: string;
  /** Goes up by one with each change, which is written only over the revision it was made of. */
  revision: number;
  /** The days that count now. */
  days: number;
  /** Fewer days that the plan gives meanwhile and that do not count yet, the most first, and since when. */
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
