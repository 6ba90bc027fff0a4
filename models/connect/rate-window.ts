import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/** The number of uses in a window of time, for a limit that all nodes share. */
export type RateWindowDocument = {
  /** `<orgId>:<limit>:<key>:<start>`. */
  _id: string;
  orgId: string;
  count: number;
  expiresAt: Date;
};

const schema = new Schema<RateWindowDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    count: { type: Number, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'connect_rate_windows', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1 });
schema.index({ expiresAt: 1 });

export const RateWindowModel = model('ConnectRateWindow', schema);
