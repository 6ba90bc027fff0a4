import { model, Schema } from 'mongoose';
import type { CallInput } from '../../lib/contract/context.ts';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/** The bucket id of deleted objects. */
export const noBucket = 'deleted';

/** The quota charge of a version: the reservation, and the number of its bytes. */
export type Charge = Required<CallInput<'billing.quota.commit'>['body']['takes'][number]>;

/** Uploaded bytes. Immutable. */
export type Version = {
  /** `ver_…` */
  version: string;
  /** The name of the file in the object store; null for an empty object, which needs no file. */
  file: string | null;
  size: number;
  charges: Charge[];
};

/** A version that was replaced or deleted. */
export type FormerVersion = Version & {
  endedAt: Date;
  /** Whether its quota was released, and when. */
  isReleased: boolean;
  releasedAt?: Date;
  /** When it was published, and the bucket that it was in. */
  uploadedAt?: Date;
  bucketId?: string;
};

/**
 * An object. One document holds its current version and the previous ones, so that a change is one write, conditional
 * on the revision that it changes.
 */
export type ObjectDocument = Version & {
  _id: string;
  orgId: string;
  revision: number;
  /** {@link noBucket} once it is deleted. */
  bucketId: string;
  /** The bucket that the object was last moved from. */
  moved?: { from: string; at: Date };
  /** The object's id once it is deleted. */
  key: string;
  /** The hash of the bytes, in hexadecimal. */
  sha256: string;
  mimeType: string;
  /** The encoding that text is served with, such as `utf-8`; null or absent when it is unknown. */
  charset?: string | null;
  /** False: not public although the bucket is. */
  isPublic: boolean;
  metadata: Record<string, string>;
  uploadedAt: Date;
  updatedAt: Date;
  former: FormerVersion[];
  /** Since when there are previous versions, for the sweep; null without any. */
  formerSince: Date | null;
  /** The ids of the current version and of the previous ones. */
  versions: string[];
};

const version = {
  version: { type: String, required: true },
  file: { type: String, default: null },
  size: { type: Number, required: true },
  charges: { type: [Schema.Types.Mixed], default: [] },
};

const schema = new Schema<ObjectDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    revision: { type: Number, required: true },
    bucketId: { type: String, required: true },
    moved: { type: { _id: false, from: String, at: Date }, default: undefined },
    key: { type: String, required: true },
    ...version,
    sha256: { type: String, required: true },
    mimeType: { type: String, required: true },
    charset: { type: String, default: null },
    isPublic: { type: Boolean, required: true },
    metadata: { type: Schema.Types.Mixed, default: {} },
    uploadedAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
    former: {
      type: [
        {
          _id: false,
          ...version,
          endedAt: Date,
          isReleased: Boolean,
          releasedAt: Date,
          uploadedAt: Date,
          bucketId: String,
        },
      ],
      default: [],
    },
    formerSince: { type: Date, default: null },
    versions: { type: [String], required: true },
  } as never,
  { collection: 'storage_objects', versionKey: false, minimize: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, bucketId: 1, key: 1 }, { unique: true });
schema.index({ orgId: 1, bucketId: 1, uploadedAt: 1 });
schema.index({ orgId: 1, _id: 1 });
schema.index({ orgId: 1, versions: 1 });
schema.index({ formerSince: 1, _id: 1 });

export const ObjectModel = model('StorageObject', schema);
