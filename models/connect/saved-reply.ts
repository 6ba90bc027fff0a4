import { model, Schema } from 'mongoose';
import { declareIdPrefix } from '../../lib/data/ids.ts';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

const collection = 'connect_replies';

export const savedReplyPrefix = declareIdPrefix('rpl', collection);

/** A text that the agents of an organization insert into their answers. */
export type SavedReplyDocument = {
  _id: string;
  orgId: string;
  name: string;
  /** The name without case, unique in the organization. */
  nameKey: string;
  text: string;
  createdAt: Date;
  updatedAt: Date;
};

const schema = new Schema<SavedReplyDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    name: { type: String, required: true },
    nameKey: { type: String, required: true },
    text: { type: String, required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection, versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, nameKey: 1 }, { unique: true });
schema.index({ orgId: 1, _id: 1 });

export const SavedReplyModel = model('ConnectSavedReply', schema);
