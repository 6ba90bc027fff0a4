import { now } from '../../../lib/data/clock.ts';
import { insertIfAbsent } from '../../../lib/data/collection.ts';
import { isDuplicateKey } from '../../../lib/data/database-errors.ts';
import { type ChangeDocument, ChangeModel } from '../../../models/access/change.ts';
import { type HeadDocument, HeadModel } from '../../../models/access/head.ts';
import type { Change, NumberedChange } from '../graph/changes.ts';

/**
 * Reads only what a majority acknowledged: a change that a failover of the database rolls back would stay in the memory
 * of every node that had applied it.
 */
const acknowledged = 'majority';

export const entryBatchSize = 1000;

/** The changes of an organization after a revision, in order, at most {@link entryBatchSize}. */
export async function readChanges(orgId: string, after: number): Promise<NumberedChange[]> {
  const entries = await ChangeModel.find({ orgId, revision: { $gt: after } }, { _id: 0, revision: 1, at: 1, change: 1 })
    .sort({ revision: 1 })
    .limit(entryBatchSize)
    .readConcern(acknowledged)
    .lean<ChangeEntry[]>();
  return entries.map(toNumbered);
}

/** The fields read of an entry of the log. */
type ChangeEntry = Pick<ChangeDocument, 'orgId' | 'revision' | 'at' | 'change'>;

function toNumbered({ revision, at, change }: Omit<ChangeEntry, 'orgId'>): NumberedChange {
  return { revision, at: at.getTime(), change: change as Change };
}

/** The newest change of an organization; null when there is none. */
export async function readLastChange(orgId: string): Promise<NumberedChange | null> {
  const entry = await ChangeModel.findOne({ orgId })
    .sort({ revision: -1 })
    .readConcern(acknowledged)
    .lean<ChangeDocument>();
  return entry && toNumbered(entry);
}

/** The change that an operation made; null when it made none. It is kept for longer than an Idempotency-Key. */
export async function readChangeOf(orgId: string, operation: string): Promise<NumberedChange | null> {
  const entry = await ChangeModel.findOne({ orgId, operation }).readConcern(acknowledged).lean<ChangeDocument>();
  return entry && toNumbered(entry);
}

/** Inserts a change; null when another writer has that revision. */
export async function insertChange(
  orgId: string,
  revision: number,
  change: Change,
  operation?: string,
): Promise<NumberedChange | null> {
  const at = now();
  const document = { _id: `${orgId}:${revision}`, orgId, revision, at, change, ...(operation && { operation }) };
  const isInserted = await insertIfAbsent<ChangeDocument>(ChangeModel, document);
  return isInserted ? { revision, at: at.getTime(), change } : null;
}

/** Marks in the head that there is or soon will be a change with that revision. */
export async function touchHead(orgId: string, revision: number): Promise<void> {
  await upsertHead(orgId, { $max: { revision }, $currentDate: { changedAt: true }, $setOnInsert: { closed: false } });
}

export async function markClosed(orgId: string, revision: number): Promise<void> {
  await upsertHead(orgId, { $max: { revision }, $currentDate: { changedAt: true }, $set: { closed: true } });
}

async function upsertHead(_id: string, update: object): Promise<void> {
  const upsert = () => HeadModel.updateOne({ _id }, update, { upsert: true });
  await upsert().catch((error) => {
    // Another writer created the head concurrently.
    if (!isDuplicateKey(error)) throw error;
    return upsert();
  });
}

/** The heads touched at or after an instant of the database's clock; all of them without one. */
export async function readHeads(since: Date | null): Promise<HeadDocument[]> {
  return await HeadModel.find(since ? { changedAt: { $gte: since } } : {})
    .readConcern(acknowledged)
    .lean<HeadDocument[]>();
}

/** The heads of all organizations, in pages in the order of their ids. */
export async function* pagesOfHeads(size: number): AsyncGenerator<HeadDocument[]> {
  for (let after = ''; ; ) {
    const page = await HeadModel.find({ _id: { $gt: after } })
      .sort({ _id: 1 })
      .limit(size)
      .readConcern(acknowledged)
      .lean<HeadDocument[]>();
    if (page.length > 0) yield page;
    if (page.length < size) return;
    after = page.at(-1)?._id ?? '';
  }
}

export async function readHead(orgId: string): Promise<HeadDocument | null> {
  return await HeadModel.findOne({ _id: orgId }).readConcern(acknowledged).lean<HeadDocument>();
}
