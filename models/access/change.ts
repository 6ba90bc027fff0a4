import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/tenant-guard.ts';

/**
 * One change of an organization's access. Inserting it is the change: the unique index lets one writer alone have the
 * revision.
 */
export type ChangeDocument = {
  /** `<orgId>:<revision>` */
  _id: string;
  orgId: string;
  /** Counted in the organization, from 1. */
  revision: number;
  at: Date;
  /** What `services/access/graph/changes.ts` describes. */
  change: object;
  /** The key of the operation that made it, so that it makes it once. */
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
