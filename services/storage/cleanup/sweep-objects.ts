import type { Context } from 'moleculer';
import { fromNow, minute } from '../../../lib/clock.ts';
import { createShortMemory } from '../../../lib/short-memory.ts';
import { pagesByInstant, type Sweep, sweepItems } from '../../../lib/sweep.ts';
import { noBucket, type ObjectDocument, ObjectModel } from '../../../models/storage/object.ts';
import { removeDerivatives } from '../images/discard.ts';
import { objectsInTurn } from '../objects/replaced-versions.ts';
import { findRecounting } from '../quota/recount.ts';
import { releaseVersions } from '../quota/release-versions.ts';
import { objectStore } from '../transfers/running-store.ts';

type Caller = Pick<Context, 'broker'>;

/** A reader that looked a version up before it was replaced may still open its file. */
const readersTime = minute;
/** Organizations that are being recounted; their versions stay until the next run. */
const recounting = createShortMemory<Set<string>>();
const batch = 200;
const cleanupBatchSize = 16;
/** The maximum number of versions that are removed of one object in a run, so that none holds up the others. */
const maxRemoved = 200;

/** Removes the files of versions that were replaced or deleted, and the documents of deleted objects. */
export async function sweepReplacedVersions(ctx: Caller, sweep: Sweep): Promise<void> {
  const until = fromNow(-readersTime);
  const pages = pagesByInstant<ObjectDocument>(ObjectModel, { field: 'formerSince', until }, batch);
  await sweepItems(sweep, pages, cleanupBatchSize, async (object) => {
    const isRecounted = (await recounting.find('', findRecounting)).has(object.orgId);
    if (!isRecounted) await cleanUp(ctx, object, until);
  });
}

/** Removes an object's versions that ended before an instant. May be repeated. */
async function cleanUp(ctx: Caller, object: ObjectDocument, before: Date): Promise<void> {
  const { orgId, _id, revision } = object;
  const ended = object.former.filter(({ endedAt }) => endedAt <= before).slice(0, maxRemoved);
  const gone = new Set(ended.map(({ version }) => version));
  const former = object.former.filter(({ version }) => !gone.has(version));
  await releaseVersions(
    ctx,
    orgId,
    ended.filter(({ isReleased }) => !isReleased),
  );
  await removeDerivatives(orgId, [...gone]);
  await objectStore().remove(ended.flatMap(({ file }) => file ?? []));
  if (object.bucketId === noBucket && former.length === 0) {
    await ObjectModel.deleteOne({ orgId, _id, revision });
    return;
  }
  const versions = object.versions.filter((version) => !gone.has(version));
  // The revision stays, so that no change of the object that has read it is refused. A concurrent change keeps the
  // versions for the next run.
  const fields = { former, formerSince: former[0]?.endedAt ?? null, versions };
  await objectsInTurn(_id, () => ObjectModel.updateOne({ orgId, _id, revision }, { $set: fields }));
}
