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
};

const schema = new Schema<ChangeDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    revision: { type: Number, required: true },
    at: { type: Date, required: true },
    change: { type: Schema.Types.Mixed, required: true },
  } as never,
  { collection: 'access_changes', versionKey: false, minimize: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, revision: 1 }, { unique: true });

export const ChangeModel = model('AccessChange', schema);
