import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/** A file for which an upload address was signed, until it is removed with its conversation. */
export type AttachmentDocument = {
  _id: string;
  orgId: string;
  /** The conversation of an agent's file, or the visitor of a visitor's file. */
  folder: string;
  fileName: string;
  /** Whether a visitor uploaded it; an anonymous visitor's unused file is removed sooner. */
  byVisitor: boolean;
  /** When a message referenced it. */
  usedAt: Date | null;
  /** When the sweep claimed it; afterwards no message may reference it. */
  claimedAt: Date | null;
  createdAt: Date;
};

const schema = new Schema<AttachmentDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    folder: { type: String, required: true },
    fileName: { type: String, required: true },
    byVisitor: { type: Boolean, default: false },
    usedAt: { type: Date, default: null },
    claimedAt: { type: Date, default: null },
    createdAt: { type: Date, required: true },
  },
  { collection: 'connect_attachments', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, folder: 1 });
schema.index({ orgId: 1, createdAt: 1 });
schema.index({ usedAt: 1, createdAt: 1, _id: 1 });
schema.index({ byVisitor: 1, usedAt: 1, createdAt: 1, _id: 1 });

export const AttachmentModel = model('ConnectAttachment', schema);
