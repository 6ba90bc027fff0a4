import { model, Schema } from 'mongoose';

/** The snapshot of an organization's access as of a revision, stored as parts in `access_snapshots`. */
export type SnapshotReference = { id: string; revision: number; parts: number; at: Date };

/**
 * The head of an organization's log of access changes; its id is the organization's. It is written before a change is
 * inserted, so that no change is newer than its head. The changes are authoritative.
 */
export type HeadDocument = {
  _id: string;
  /** At least the last change's revision; higher when a writer ended before its insert. */
  revision: number;
  /** By the database's clock. */
  changedAt: Date;
  snapshot?: SnapshotReference | null;
  closed: boolean;
  /** The revision up to which the entries of the log were emptied, while a closed organization is erased. */
  emptiedTo?: number;
};

const schema = new Schema<HeadDocument>(
  {
    _id: String,
    revision: { type: Number, required: true },
    changedAt: { type: Date, required: true },
    snapshot: { type: Schema.Types.Mixed },
    closed: { type: Boolean, default: false },
    emptiedTo: { type: Number },
  },
  { collection: 'access_heads', versionKey: false, minimize: false },
);
schema.index({ changedAt: 1 });

export const HeadModel = model('AccessHead', schema);
