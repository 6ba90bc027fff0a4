import { setTimeout as wait } from 'node:timers/promises';
import { elapsedSince, leaseInstant } from '../../../lib/clients/quota.ts';
import { createBatcher } from '../../../lib/concurrency/batcher.ts';
import type { BrokerContext } from '../../../lib/contract/context.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { createInsertBatcher } from '../../../lib/data/batched-access.ts';
import { fromNow, minute, now } from '../../../lib/data/clock.ts';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { type UploadDocument, UploadModel } from '../../../models/storage/upload.ts';
import { objectStore } from '../store/running-store.ts';

/** The lease of an upload in milliseconds; without renewal the upload counts as crashed. */
const leaseTime = 10 * minute;
const renewEvery = minute;
/**
 * Within this time after a renewal no claim is needed: the sweep cannot give the upload up while the object is written.
 */
const surelyHeldFor = 4 * minute;

/** The record of an upload, without which no object can get its version. */
export type UploadRecord = {
  /** Call while bytes arrive. */
  renew: () => Promise<void>;
  /** Call right before the object gets the version; throws UNAVAILABLE if the sweep gave the upload up. */
  claim: () => Promise<void>;
  /** Call after the object got the version. Not awaited: the sweep completes it after a crash. */
  completeInBackground: (ctx: BrokerContext) => void;
  /** Deletes the record of an upload that gets no object, after its file was deleted. */
  remove: () => Promise<void>;
};

type Name = { orgId: string; _id: string; version: string };

const maxBatchSize = 200;
/** Removals that no request awaits share a write, so that awaited ones have the disk. */
const inBackground = 'in the background';
/** The coalescing window of background removals, in milliseconds. */
const backgroundPause = 50;
const insertRecord = createInsertBatcher<UploadDocument>(UploadModel);
/** Matches the version, because a second upload by the same signed URL has the same id. */
const removeRecord = createBatcher(maxBatchSize, async (names: Name[], lane) => {
  if (lane === inBackground) await wait(backgroundPause);
  await nativeCollection<UploadDocument>(UploadModel).deleteMany({
    orgId: { $in: [...new Set(names.map(({ orgId }) => orgId))] },
    _id: { $in: names.map(({ _id }) => _id) },
    version: { $in: names.map(({ version }) => version) },
  });
  return names.map(() => undefined);
});

type About = { orgId: string; version: string; file: string; signature: { id: string; until: Date } | null };

/**
 * Records that an upload begins. The record of a signed URL is kept while the URL is valid.
 *
 * @throws SIGNATURE_USED the signed URL is being used, or was.
 */
export async function recordUpload({ orgId, version, file, signature }: About): Promise<UploadRecord> {
  const _id = signature?.id ?? version;
  let renewedAt = leaseInstant();
  const openFields = { state: 'open' as const, signedUntil: signature?.until ?? null, dueAt: fromNow(leaseTime) };
  const isNew = await insertRecord({ _id, orgId, version, file, ...openFields });
  if (!isNew) throw apiError('SIGNATURE_USED');
  const own = { orgId, _id, version };

  async function renew(): Promise<void> {
    renewedAt = leaseInstant();
    const { matchedCount } = await UploadModel.updateOne(
      { ...own, state: 'open' },
      { $set: { dueAt: fromNow(leaseTime) } },
    );
    if (matchedCount === 0) throw apiError('UNAVAILABLE');
  }

  async function complete(): Promise<void> {
    if (signature && signature.until > now()) {
      await UploadModel.updateOne(own, { $set: { state: 'done', dueAt: signature.until } });
    } else await removeRecord(inBackground, own);
  }

  return {
    async renew() {
      if (elapsedSince(renewedAt) > renewEvery) await renew();
    },
    async claim() {
      if (elapsedSince(renewedAt) > surelyHeldFor) await renew();
    },
    completeInBackground({ broker }) {
      complete().catch((error: unknown) =>
        broker.logger.warn('Upload record could not be removed; the sweep will retry', { error }),
      );
    },
    remove: () => removeRecord('', own),
  };
}

/**
 * Deletes the file of an abandoned upload, and then its record. After a crash or while the store is unavailable, the
 * sweep completes it.
 */
export async function abandonUpload(file: string, record: UploadRecord | null): Promise<void> {
  try {
    await objectStore().remove([file]);
    await record?.remove();
  } catch {
    // The record is kept, so the sweep retries.
  }
}
