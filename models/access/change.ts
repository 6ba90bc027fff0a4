import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/**
 * One change of an organization's access. The change takes effect by the insert; the unique index gives each revision
 * to one writer.
 */
export type ChangeDocument = {
  /** `<orgId>:<revision>` */
  _id: string;
  orgId: string;
  /** Counted in the organization, from 1. */
  revision: number;
  at: Date;
  /** The change, as `services/access/graph/changes.ts` describes it. */
  change: object;
  /** The key of its operation, so that a retry does not repeat the change. */
  operation?: string;
};

const schema = new Schema<ChangeDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    revision: { type: Number, required: true },
    at: { type: Date, required: true },
    change: { type: Schema.Types.Mixed, required: true },
    operation: { type: String },
  } as never,
  { collection: 'access_changes', versionKey: false, minimize: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, revision: 1 }, { unique: true });
schema.index({ orgId: 1, operation: 1 });

export const ChangeModel = model('AccessChange', schema);
