import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

export const blockTypes = ['visitor', 'customer', 'address'] as const;
export type BlockType = (typeof blockTypes)[number];

/** A visitor, customer or address that must not write to an organization. */
export type BlockDocument = {
  /** `<orgId>:<type>:<value>`, with the keyed hash of an address. */
  _id: string;
  orgId: string;
  type: BlockType;
  /** As it was entered; null for an address taken from a visitor, of which only the hash is known. */
  value: string | null;
  /** The visitor whose address it is, where it was taken from one. */
  visitorId: string | null;
  reason: string;
  createdAt: Date;
};

const schema = new Schema<BlockDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    type: { type: String, enum: blockTypes, required: true },
    value: { type: String, default: null },
    visitorId: { type: String, default: null },
    reason: { type: String, default: '' },
    createdAt: { type: Date, required: true },
  },
  { collection: 'connect_blocks', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, createdAt: -1, _id: -1 });
schema.index({ orgId: 1, visitorId: 1 });

export const BlockModel = model('ConnectBlock', schema);
