import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/**
 * An image derived from a version of an object. It is kept while it is used and its organization has room for it, and
 * is not charged to a quota.
 */
export type DerivativeDocument = {
  /** `<source>:<key of the transformation>` */
  _id: string;
  orgId: string;
  /** The version it was derived from. */
  source: string;
  /** The id of the derivative's version, `ver_…`. */
  version: string;
  /** The name of the file in the object store. */
  file: string;
  size: number;
  /** The hash of the bytes, in hexadecimal. */
  sha256: string;
  mimeType: string;
  madeAt: Date;
  /** When it was last read, accurate to an hour. */
  usedAt: Date;
};

const schema = new Schema<DerivativeDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    source: { type: String, required: true },
    version: { type: String, required: true },
    file: { type: String, required: true },
    size: { type: Number, required: true },
    sha256: { type: String, required: true },
    mimeType: { type: String, required: true },
    madeAt: { type: Date, required: true },
    usedAt: { type: Date, required: true },
  },
  { collection: 'storage_derivatives', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, _id: 1 });
schema.index({ orgId: 1, source: 1, usedAt: 1 });
schema.index({ orgId: 1, usedAt: 1 });
schema.index({ orgId: 1, version: 1 });
schema.index({ usedAt: 1, _id: 1 });

export const DerivativeModel = model('StorageDerivative', schema);
