import { model, Schema } from 'mongoose';

/** The parts of `access_snapshots` that hold an organization's access as of a revision. */
export type SnapshotReference = { id: string; revision: number; parts: number; at: Date };

/**
 * Where to look for changes of an organization: one document each, whose id is the organization's. It is touched before
 * a change is inserted, so that no change is ever newer than its head; the changes themselves are what counts.
 */
export type HeadDocument = {
  _id: string;
  /** At least the last change's; more when a writer ended before it inserted. */
  revision: number;
  /** By the database's clock. */
  changedAt: Date;
  snapshot?: SnapshotReference | null;
  closed: boolean;
};

const schema = new Schema<HeadDocument>(
  {
    _id: String,
    revision: { type: Number, required: true },
    changedAt: { type: Date, required: true },
    snapshot: { type: Schema.Types.Mixed },
    closed: { type: Boolean, default: false },
  },
  { collection: 'access_heads', versionKey: false, minimize: false },
);
schema.index({ changedAt: 1 });

export const HeadModel = model('AccessHead', schema);
