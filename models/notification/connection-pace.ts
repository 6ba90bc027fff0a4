import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/** The number of messages that a connection has sent in the current second, on all nodes together. */
export type PaceDocument = {
  /** The connection's id. */
  _id: string;
  orgId: string;
  /** The counted second. */
  window: Date;
  used: number;
  /** The end of the pause that the provider requested. */
  pausedUntil: Date;
};

const schema = new Schema<PaceDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    window: { type: Date, required: true },
    used: { type: Number, required: true },
    pausedUntil: { type: Date, required: true },
  },
  { collection: 'notification_paces', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, _id: 1 });

export const PaceModel = model('NotificationPace', schema);
