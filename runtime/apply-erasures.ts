import { resolve } from 'node:path';
import { type ErasureRecord, ErasureRecordModel, openIdentifiers, recordErasure } from '../lib/data/erasure-records.ts';
import { StartError } from '../lib/settings/start-error.ts';
import { repeatErasure } from '../services/context/customer-erasures.ts';
import { repeatUserDeletion } from '../services/identity/delete-user.ts';
import { repeatDeletion } from '../services/identity/deletions.ts';
import { recordsOf, requireSoundList } from './erasure-list.ts';
import { withDatabase } from './with-database.ts';

/** The number of applied erasures, and of those already in the database. */
export type AppliedErasures = { applied: number; known: number };

/**
 * Applies a list of erasures to the restored database that it was saved from: stories of customers are erased, users
 * and organizations are disabled, and the rest becomes pending work of the platform. Idempotent, also after a crash.
 *
 * @throws StartError the list is invalid or belongs to another database; then nothing was applied.
 */
export async function applyErasures(file: string): Promise<AppliedErasures> {
  const listed = await requireSoundList(file);
  return await withDatabase(
    async (database) => {
      if (database !== listed) throw new StartError(`${resolve(file)} is the list of another database.`);
      return await applyRecords(file);
    },
    { alone: true },
  );
}

export function outcomeOf({ applied, known }: AppliedErasures): string {
  return `${applied} erasures were applied, and ${known} were already present. The platform completes them when it runs.`;
}

/** Skips erasures that the database already has: repeating them would remove data that arrived after them. */
async function applyRecords(file: string): Promise<AppliedErasures> {
  const counts = { applied: 0, known: 0 };
  for await (const record of recordsOf(file)) {
    const isKnown = await ErasureRecordModel.exists({ _id: record._id }).setOptions({ acrossTenants: true });
    counts[isKnown ? 'known' : 'applied'] += 1;
    if (isKnown) continue;
    await repeat(record);
    await recordErasure(record);
  }
  return counts;
}

async function repeat({ _id, kind, orgId, identifiers, erasedAt }: ErasureRecord): Promise<void> {
  if (kind === 'user') return await repeatUserDeletion(_id);
  if (kind === 'organization') return await repeatDeletion(_id, erasedAt);
  if (orgId === null || identifiers === null) throw new Error(`The erasure ${_id} names no customer.`);
  await repeatErasure({ _id, orgId, identifiers: openIdentifiers(identifiers), erasedAt });
}
