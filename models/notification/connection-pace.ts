import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/tenant-guard.ts';

/** How much a connection has sent in the present second, on all nodes together. */
export type PaceDocument = {
  /** The connection's id. */
  _id: string;
  orgId: string;
  /** The second that is counted. */
  window: Date;
  used: number;
  /** The provider asked to be left alone until then. */
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
