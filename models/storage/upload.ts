import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/tenant-guard.ts';

/**
 * An upload that is under way, or was made by a signed URL, which is used once. So a crash leaves no file that nothing
 * names.
 */
export type UploadDocument = {
  /** The version that is uploaded, or the id of the signed URL. */
  _id: string;
  orgId: string;
  version: string;
  file: string;
  /** `open` until an object has the version; `givenUp` once none can have it any more. */
  state: 'open' | 'done' | 'givenUp';
  /** While a signed URL can be used; null for another upload. */
  signedUntil: Date | null;
  /** When the sweep looks at it: while it is open, some minutes after the last bytes arrived. */
  dueAt: Date;
};

const schema = new Schema<UploadDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    version: { type: String, required: true },
    file: { type: String, required: true },
    state: { type: String, required: true },
    signedUntil: { type: Date, default: null },
    dueAt: { type: Date, required: true },
  },
  { collection: 'storage_uploads', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, _id: 1 });
schema.index({ dueAt: 1, _id: 1 });

export const UploadModel = model('StorageUpload', schema);
