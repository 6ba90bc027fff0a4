import type { Context } from 'moleculer';
import { fromNow, minute } from '../../../lib/clock.ts';
import { concurrently } from '../../../lib/concurrently.ts';
import { noBucket, type ObjectDocument, ObjectModel } from '../../../models/storage/object.ts';
import { removeDerivatives } from '../images/discard.ts';
import { write } from '../objects/change-object.ts';
import { releaseVersions } from '../quota/release-versions.ts';
import { objectStore } from '../transfers/running-store.ts';

type Caller = Pick<Context, 'broker'>;

/** Who looked a version up before it was replaced may still open its file. */
const readersTime = minute;
const batch = 200;
const cleanedAtOnce = 8;

/** Removes the files of versions that were replaced or deleted, and what is left of deleted objects. */
export async function sweepFormerVersions(ctx: Caller): Promise<void> {
  for (;;) {
    const due = { formerSince: { $ne: null, $lte: fromNow(-readersTime) } };
    const objects = await ObjectModel.find(due, null, { acrossTenants: true })
      .sort({ formerSince: 1 })
      .limit(batch)
      .lean<ObjectDocument[]>();
    await concurrently(objects, cleanedAtOnce, (object) => cleanUp(ctx, object, fromNow(-readersTime)));
    if (objects.length < batch) return;
  }
}

/** Removes an object's former versions that ended before an instant. May be repeated. */
export async function cleanUp(ctx: Caller, object: ObjectDocument, before: Date): Promise<void> {
  const { orgId, _id, revision } = object;
  const ended = object.former.filter(({ endedAt }) => endedAt <= before);
  const left = object.former.filter(({ endedAt }) => endedAt > before);
  const unreleased = ended.filter(({ isReleased }) => !isReleased);
  await releaseVersions(ctx, orgId, unreleased);
  await removeDerivatives(
    orgId,
    ended.map(({ version }) => version),
  );
  await objectStore().remove(ended.flatMap(({ file }) => file ?? []));
  if (object.bucketId === noBucket && left.length === 0) {
    await ObjectModel.deleteOne({ orgId, _id, revision });
    return;
  }
  const gone = new Set(ended.map(({ version }) => version));
  // A concurrent change keeps it for the next sweep.
  await write(object, {
    ...object,
    former: left,
    formerSince: left[0]?.endedAt ?? null,
    versions: object.versions.filter((version) => !gone.has(version)),
    revision: revision + 1,
  });
}
