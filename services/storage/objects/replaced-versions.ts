import { createBatcher } from '../../../lib/concurrency/batcher.ts';
import { createKeyedMutex } from '../../../lib/concurrency/keyed-mutex.ts';
import type { BrokerContext } from '../../../lib/contract/context.ts';
import { now } from '../../../lib/data/clock.ts';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { newId } from '../../../lib/data/ids.ts';
import { type FormerVersion, noBucket, type ObjectDocument, ObjectModel } from '../../../models/storage/object.ts';
import { releaseVersions } from '../quota.ts';

type Replaced = Pick<ObjectDocument, 'former' | 'formerSince' | 'revision'>;

/** The maximum of replaced versions in an object's document, which each change rewrites. */
const maxReplaced = 50;

/**
 * A mutex per object for updates: makes updates that are not fully atomic in the database atomic within this process.
 */
export const objectsInTurn = createKeyedMutex();

/** The fields of an object whose current version ends now and becomes a replaced version. */
export function withReplaced(present: ObjectDocument): Replaced {
  const { version, file, size, charges, uploadedAt, bucketId, former, formerSince, revision } = present;
  const life = { uploadedAt, endedAt: now(), bucketId };
  const ended: FormerVersion = { version, file, size, charges, ...life, isReleased: false };
  return { former: [...former, ended], formerSince: formerSince ?? ended.endedAt, revision: revision + 1 };
}

/**
 * Moves the replaced versions of a full object to a separate document like a deleted object's, which the sweep deletes.
 * Returns the object without them, to be written over the one that was read, and a function that undoes the move if
 * that write fails. A crash in between leaves the versions in two documents; all operations on a replaced version are
 * idempotent.
 */
export async function setAside(
  present: ObjectDocument,
): Promise<{ object: ObjectDocument; undo: () => Promise<unknown> }> {
  const { former, orgId } = present;
  const last = former.at(-1);
  if (!last || former.length < maxReplaced) return { object: present, undo: async () => undefined };
  // Sorts directly after its object by id, so that a recount reads both together.
  const _id = `${present._id}.${newId('obj')}`;
  const { version, file, size, charges } = last;
  const aside = { ...present, _id, revision: 1, bucketId: noBucket, key: _id, version, file, size, charges };
  const objects = nativeCollection<ObjectDocument>(ObjectModel);
  await objects.insertOne({ ...aside, versions: former.map((one) => one.version), metadata: {} });
  const object = { ...present, former: [], formerSince: null, versions: [present.version] };
  return { object, undo: () => objects.deleteOne({ orgId, _id }) };
}

/**
 * Releases the quota of an object's replaced versions, by default those without a recorded release, and records it. The
 * sweep retries failures.
 */
export async function release(
  ctx: BrokerContext,
  object: ObjectDocument,
  versions = unreleased(object),
): Promise<void> {
  if (versions.length === 0) return;
  const { orgId, _id } = object;
  try {
    await releaseVersions(ctx, orgId, versions);
    await recordReleases(`${orgId}/${_id}`, { orgId, _id, versions: versions.map(({ version }) => version) });
  } catch (error) {
    ctx.broker.logger.warn('Quota of a replaced version could not be released; the sweep will retry', {
      objectId: _id,
      error,
    });
  }
}

const unreleased = ({ former }: ObjectDocument): FormerVersion[] => former.filter(({ isReleased }) => !isReleased);

const asReleased = (one: FormerVersion): FormerVersion =>
  one.isReleased ? one : { ...one, isReleased: true, releasedAt: now() };

type Released = { orgId: string; _id: string; versions: string[] };

/**
 * Records releases in their object, concurrent ones in one write. The revision is unchanged, so that concurrent changes
 * of the object do not fail. A lost record costs a second release, which has no effect.
 */
const recordReleases = createBatcher(maxReplaced, async (releases: Released[]) => {
  const done = new Set(releases.flatMap(({ versions }) => versions));
  const [{ orgId, _id } = { orgId: '', _id: '' }] = releases;
  const object = await ObjectModel.findOne({ orgId, _id }).lean<ObjectDocument>();
  if (object?.former.some(({ version, isReleased }) => !isReleased && done.has(version))) {
    const withReleased = object.former.map((one) => (done.has(one.version) ? asReleased(one) : one));
    const { revision } = object;
    await objectsInTurn(_id, () => ObjectModel.updateOne({ orgId, _id, revision }, { $set: { former: withReleased } }));
  }
  return releases.map(() => undefined);
});
