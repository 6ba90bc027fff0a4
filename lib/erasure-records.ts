import { model, Schema } from 'mongoose';
import { day, fromNow } from './clock.ts';
import { decrypt, encrypt } from './encryption.ts';
import { insertIfAbsent } from './insert-unless-there.ts';
import { removeAcrossTenants } from './remove-up-to.ts';
import { settings } from './settings.ts';
import { tenantGuard } from './tenant-guard.ts';

/**
 * That something was erased, kept after the erasure is complete: a database that is restored from an older backup has the
 * data again, and the erasure is repeated there. A database that has the record has the erasure too, complete or as due
 * work.
 */
export type ErasureRecord = {
  /** The id of the user or of the organization; of a customer the id of the erasure, because a customer may come back. */
  _id: string;
  kind: 'customer' | 'user' | 'organization';
  /** Of a customer and of an organization. */
  orgId: string | null;
  /** Of a customer: the keys, such as `email:ada@example.com`, as encrypted JSON. */
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
// Finds the records to remove, and lists all in the order of their erasures.
schema.index({ erasedAt: 1, _id: 1 });

export const ErasureRecordModel = model('PlatformErasure', schema);

/** Stores that something was erased, before the erasure is acknowledged. The first record of an erasure stays. */
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

/** Removes the records that were kept for long enough and returns how many; for the scheduled sweep. */
export function sweepErasureRecords(_period?: Date, signal?: AbortSignal): Promise<number> {
  const ended = { erasedAt: { $lte: fromNow(-settings.ERASURES_KEPT_DAYS * day) } };
  return removeAcrossTenants(ErasureRecordModel, ended, signal);
}
