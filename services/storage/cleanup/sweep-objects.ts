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

/** A grace period for readers that looked up a version before it was replaced and have not opened its file yet. */
const readersTime = minute;
/** Caches the organizations being recounted; their versions stay until the next run. */
const recounting = createShortMemory<Set<string>>();
const batch = 200;
const cleanupBatchSize = 16;
/** The maximum of versions deleted per object and run, so that none delays the others. */
const maxRemoved = 200;

/** Deletes the files of replaced and deleted versions, and the documents of deleted objects. */
export async function sweepReplacedVersions(ctx: Caller, sweep: Sweep): Promise<void> {
  const until = fromNow(-readersTime);
  const pages = pagesByInstant<ObjectDocument>(ObjectModel, { field: 'formerSince', until }, batch);
  await sweepItems(sweep, pages, cleanupBatchSize, async (object) => {
    const isRecounted = (await recounting.find('', findRecounting)).has(object.orgId);
    if (!isRecounted) await cleanUp(ctx, object, until);
  });
}

/** Deletes an object's versions that ended before an instant. Repeatable. */
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
  // The revision is unchanged, so that concurrent changes based on it do not fail. If such a change wins, the versions
  // stay until the next run.
  const fields = { former, formerSince: former[0]?.endedAt ?? null, versions };
  await objectsInTurn(_id, () => ObjectModel.updateOne({ orgId, _id, revision }, { $set: fields }));
}
