import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/**
 * An upload in flight or by a signed URL, which can be used once. Stored so that the file of a crashed upload is found
 * and removed.
 */
export type UploadDocument = {
  /** The uploaded version, or the id of the signed URL. */
  _id: string;
  orgId: string;
  version: string;
  file: string;
  /** `open` until an object has the version; `givenUp` once no object can get it anymore. */
  state: 'open' | 'done' | 'givenUp';
  /** The expiry of a signed URL; null for another upload. */
  signedUntil: Date | null;
  /** When the sweep checks it: while it is open, some minutes after the last bytes arrived. */
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
