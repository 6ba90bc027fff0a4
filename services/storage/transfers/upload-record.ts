import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from 'moleculer';
import { createBatcher } from '../../../lib/batched.ts';
import { fromNow, minute, now } from '../../../lib/clock.ts';
import { apiError } from '../../../lib/errors.ts';
import { createInsertBatcher } from '../../../lib/insert-together.ts';
import { nativeCollection } from '../../../lib/native-collection.ts';
import { elapsedSince, leaseInstant } from '../../../lib/quota-leases.ts';
import { type UploadDocument, UploadModel } from '../../../models/storage/upload.ts';
import { objectStore } from './running-store.ts';

/** After so many milliseconds without a sign of it an upload was ended by a crash. */
const leaseTime = 10 * minute;
const renewEvery = minute;
/** So much later a record needs no claim: the sweep cannot have given it up, nor will while the object is written. */
const surelyHeldFor = 4 * minute;

/** The record of an upload, without which no object can get its version. */
export type UploadRecord = {
  /** To be called while bytes arrive. */
  renew: () => Promise<void>;
  /** Right before the object gets the version: throws UNAVAILABLE when the upload was given up. */
  claim: () => Promise<void>;
  /** The object has the version. Nobody waits for it: the sweep does what a crash leaves out. */
  completeInBackground: (ctx: Pick<Context, 'broker'>) => void;
  /** No object will have it, and its file is removed. */
  remove: () => Promise<void>;
};

type Name = { orgId: string; _id: string; version: string };

const maxBatchSize = 200;
/** Removals that no request waits for share a write, so that those that one waits for have the disk. */
const inBackground = 'in the background';
/** In milliseconds. */
const backgroundPause = 50;
const insertRecord = createInsertBatcher<UploadDocument>(UploadModel);
/** The version is of this upload, also where the id is that of a signed URL, which a second upload has too. */
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
 * Records that an upload begins. That of a signed URL is kept while the URL can be used.
 *
 * @throws SIGNATURE_USED the signed URL is being used, or was.
 */
export async function recordUpload({ orgId, version, file, signature }: About): Promise<UploadRecord> {
  const _id = signature?.id ?? version;
  let renewedAt = leaseInstant();
  const fresh = { state: 'open' as const, signedUntil: signature?.until ?? null, dueAt: fromNow(leaseTime) };
  const isNew = await insertRecord({ _id, orgId, version, file, ...fresh });
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
        broker.logger.warn('The record of an upload is left to the sweep', { error }),
      );
    },
    remove: () => removeRecord('', own),
  };
}

/**
 * Removes the file of an upload that nothing will name, and its record. What a crash or a store that cannot be reached
 * leaves of it is removed by the sweep.
 */
export async function abandonUpload(file: string, record: UploadRecord | null): Promise<void> {
  try {
    await objectStore().remove([file]);
    await record?.remove();
  } catch {
    // The record is still there, so the sweep comes back to it.
  }
}
