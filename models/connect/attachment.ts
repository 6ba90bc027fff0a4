import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/tenant-guard.ts';

/** A file for which an address was signed, until it is removed with its conversation. */
export type AttachmentDocument = {
  _id: string;
  orgId: string;
  /** The conversation of an agent's file, or the visitor whose file it is. */
  folder: string;
  fileName: string;
  /** When a message has named it; a file that none names is removed a day later. */
  usedAt: Date | null;
  createdAt: Date;
};

const schema = new Schema<AttachmentDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    folder: { type: String, required: true },
    fileName: { type: String, required: true },
    usedAt: { type: Date, default: null },
    createdAt: { type: Date, required: true },
  },
  { collection: 'connect_attachments', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, folder: 1 });
schema.index({ orgId: 1, createdAt: 1 });
schema.index({ usedAt: 1, createdAt: 1, _id: 1 });

export const AttachmentModel = model('ConnectAttachment', schema);
