import { model, Schema } from 'mongoose';
import { declareIdPrefix } from '../../lib/data/ids.ts';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/**
 * An event that was refused, for the people who build the sender. It holds nothing of the event's content, only its id
 * and name where they are valid, so that it needs no erasure of customers.
 */
export type RefusedEventDocument = {
  _id: string;
  orgId: string;
  refusedAt: Date;
  /** The caller who sent it. */
  sender: { type: 'application' | 'user'; id: string };
  isBatch: boolean;
  eventId: string | null;
  eventName: string | null;
  /** The code of the error. */
  code: string;
  message: string;
  /** The violated rules of the input. */
  details: { path: string; message: string }[];
  /** The number of refused events before this one that were counted only. */
  omitted: number;
};

export const refusedEventPrefix = declareIdPrefix('rfe', 'context_refused_events');

const schema = new Schema<RefusedEventDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    refusedAt: { type: Date, required: true },
    sender: { type: { type: String }, id: String },
    isBatch: { type: Boolean, required: true },
    eventId: { type: String, default: null },
    eventName: { type: String, default: null },
    code: { type: String, required: true },
    message: { type: String, required: true },
    details: [{ _id: false, path: String, message: String }],
    omitted: { type: Number, required: true },
  },
  { collection: 'context_refused_events', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, _id: 1 });

export const RefusedEventModel = model('ContextRefusedEvent', schema);
