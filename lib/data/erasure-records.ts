import { model, Schema } from 'mongoose';
import { decrypt, encrypt } from '../security/encryption.ts';
import { settings } from '../settings/settings.ts';
import { day, fromNow } from './clock.ts';
import { insertIfAbsent, removeAcrossTenants } from './collection.ts';
import { tenantGuard } from './tenant-guard.ts';

/**
 * The record of an erasure, kept after the erasure is complete: a database that is restored from an older backup has
 * the data again, and the erasure is repeated there. A database that has the record also has the erasure, complete or
 * pending.
 */
export type ErasureRecord = {
  /** The id of the user or of the organization; for a customer the id of the erasure, because a customer may return. */
  _id: string;
  kind: 'customer' | 'user' | 'organization';
  /** Set for a customer and for an organization. */
  orgId: string | null;
  /** Set for a customer: the keys, such as `email:ada@example.com`, as encrypted JSON. */
  identifiers: string | null;
  erasedAt: Date;
};

const schema = new Schema<ErasureRecord>(
  {
    _id: String,
    kind: { type: String, enum: ['customer', 'user', 'organization'], required: true },
    orgId: { type: String, default: null },
    identifiers: { type: String, default: null },
    erasedAt: { type: Date, required: true },
  },
  { collection: 'platform_erasures', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, kind: 1 });
// Finds the expired records, and lists all records in the order of their erasures.
schema.index({ erasedAt: 1, _id: 1 });

export const ErasureRecordModel = model('PlatformErasure', schema);

/** Stores an erasure record before the erasure is acknowledged. The first record of an erasure is kept. */
export async function recordErasure(record: ErasureRecord): Promise<void> {
  await insertIfAbsent<ErasureRecord>(ErasureRecordModel, record);
}

const purpose = 'platform.erasures';

export function sealIdentifiers(identifiers: string[]): string {
  return encrypt(purpose, JSON.stringify(identifiers));
}

export function openIdentifiers(sealed: string): string[] {
  return JSON.parse(decrypt(purpose, sealed)) as string[];
}

/** Deletes the expired records and returns how many; for the scheduled sweep. */
export function sweepErasureRecords(_period?: Date, signal?: AbortSignal): Promise<number> {
  const ended = { erasedAt: { $lte: fromNow(-settings.ERASURES_KEPT_DAYS * day) } };
  return removeAcrossTenants(ErasureRecordModel, ended, signal);
}
