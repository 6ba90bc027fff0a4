import { fromNow, minute, now } from '../../../lib/clock.ts';
import { fail } from '../../../lib/errors.ts';
import { insertUnlessThere } from '../../../lib/insert-unless-there.ts';
import { type UploadDocument, UploadModel } from '../../../models/storage/upload.ts';
import { objectStore } from './running-store.ts';

/** After so many milliseconds without a sign of it an upload was ended by a crash. */
const leaseTime = 10 * minute;
const renewEvery = minute;

/** The record of an upload, without which no object can get its version. */
export type UploadRecord = {
  /** To be called while bytes arrive. */
  renew: () => Promise<void>;
  /** Right before the object gets the version: throws UNAVAILABLE when the upload was given up. */
  claim: () => Promise<void>;
  /** The object has the version. */
  complete: () => Promise<void>;
  /** No object will have it, and its file is removed. */
  remove: () => Promise<void>;
};

type About = { orgId: string; version: string; file: string; signature: { id: string; until: Date } | null };

/**
 * Records that an upload begins. That of a signed URL is kept while the URL can be used.
 *
 * @throws SIGNATURE_USED the signed URL is being used, or was.
 */
export async function recordUpload({ orgId, version, file, signature }: About): Promise<UploadRecord> {
  const _id = signature?.id ?? version;
  const fresh = { state: 'open' as const, signedUntil: signature?.until ?? null, dueAt: fromNow(leaseTime) };
  const isNew = await insertUnlessThere<UploadDocument>(UploadModel, { _id, orgId, version, file, ...fresh });
  if (!isNew) throw fail('SIGNATURE_USED');
  const own = { orgId, _id, version };
  let renewedAt = performance.now();

  async function renew(): Promise<void> {
    renewedAt = performance.now();
    const { matchedCount } = await UploadModel.updateOne(
      { ...own, state: 'open' },
      { $set: { dueAt: fromNow(leaseTime) } },
    );
    if (matchedCount === 0) throw fail('UNAVAILABLE');
  }

  return {
    async renew() {
      if (performance.now() - renewedAt > renewEvery) await renew();
    },
    claim: renew,
    async complete() {
      if (signature && signature.until > now()) {
        await UploadModel.updateOne(own, { $set: { state: 'done', dueAt: signature.until } });
      } else await UploadModel.deleteOne(own);
    },
    async remove() {
      await UploadModel.deleteOne(own);
    },
  };
}

/**
 * Removes the file of an upload that nothing will name, and its record. What a crash or a store that cannot be reached
 * leaves of it is removed by the sweep.
 */
export async function giveUp(file: string, record: UploadRecord): Promise<void> {
  try {
    await objectStore().remove([file]);
    await record.remove();
  } catch {
    // The record is still there, so the sweep comes back to it.
  }
}
