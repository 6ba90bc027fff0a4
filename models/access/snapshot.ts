import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/** A part of the snapshot of an organization's access as of a revision. */
export type SnapshotDocument = {
  /** `<orgId>:<snapshotId>:<part>` */
  _id: string;
  orgId: string;
  snapshotId: string;
  /** Counted from 0. */
  part: number;
  revision: number;
  createdAt: Date;
  /** JSON, because parsing it is many times faster than decoding BSON. */
  data: string;
};

const schema = new Schema<SnapshotDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    snapshotId: { type: String, required: true },
    part: { type: Number, required: true },
    revision: { type: Number, required: true },
    createdAt: { type: Date, required: true },
    data: { type: String, required: true },
  },
  { collection: 'access_snapshots', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, snapshotId: 1, part: 1 }, { unique: true });

export const SnapshotModel = model('AccessSnapshot', schema);
