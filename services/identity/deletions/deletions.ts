import { randomUUID } from 'node:crypto';
import type { Context, ServiceBroker } from 'moleculer';
import type { RequestMeta } from '../../../lib/caller.ts';
import { fromNow, minute, now } from '../../../lib/clock.ts';
import { insertUnlessThere } from '../../../lib/insert-unless-there.ts';
import { type DeletionDocument, DeletionModel } from '../../../models/identity/deletion.ts';
import { stepsOfApplication, stepsOfOrganization } from './steps.ts';

type Ctx = Context<unknown, RequestMeta>;

/** Longer than a step takes; each step renews it. */
const lease = minute;
/** Longer than any request, and any work on what was accepted, may still be under way. */
const pauseBeforeRepetition = 2 * minute;

/**
 * Writes down that something is to be deleted, for whoever calls to carry out at once. From then on it will be deleted,
 * if not by them then by the sweep. Null when that was written down before.
 */
export async function beginDeletion(
  what: Pick<DeletionDocument, '_id' | 'kind' | 'orgId'>,
): Promise<DeletionDocument | null> {
  const deletion: DeletionDocument = {
    ...what,
    completedSteps: [],
    isRepetition: false,
    leaseOwner: randomUUID(),
    leaseUntil: fromNow(lease),
    createdAt: now(),
  };
  return (await insertUnlessThere<DeletionDocument>(DeletionModel, deletion)) ? deletion : null;
}

/**
 * Does the steps of a deletion that are not done, in their order; with `last`, only up to that step. A while later the
 * sweep does all of them once more, and then the deletion is forgotten.
 * Every step may be repeated. One that was held up for so long that another took over leaves the rest to that one.
 */
export async function carryOutDeletion(ctx: Ctx, deletion: DeletionDocument, last?: string): Promise<void> {
  const { _id, kind, orgId, completedSteps, leaseOwner } = deletion;
  const mine = { orgId, _id, leaseOwner };
  const steps = kind === 'organization' ? stepsOfOrganization : stepsOfApplication;
  for (const [name, step] of Object.entries(steps)) {
    if (completedSteps.includes(name)) continue;
    const renewed = await DeletionModel.updateOne(mine, { $set: { leaseUntil: fromNow(lease) } });
    if (renewed.matchedCount === 0) return;
    await step(ctx, deletion);
    await DeletionModel.updateOne(mine, { $addToSet: { completedSteps: name } });
    completedSteps.push(name);
    if (name === last) return;
  }
  if (deletion.isRepetition) await DeletionModel.deleteOne(mine);
  else await planRepetition(mine);
}

/** What was on its way when it was looked for, such as an event about to be stored, is found the second time. */
async function planRepetition(mine: Pick<DeletionDocument, 'orgId' | '_id' | 'leaseOwner'>): Promise<void> {
  const anew = { isRepetition: true, completedSteps: [], leaseUntil: fromNow(pauseBeforeRepetition) };
  await DeletionModel.updateOne(mine, { $set: anew });
}

/** Completes the deletions that somebody left: a process that died, or a step that failed. */
export async function sweepDeletions(ctx: Ctx, signal?: AbortSignal): Promise<void> {
  const abandoned = { leaseUntil: { $lte: now() } };
  const across = { acrossTenants: true };
  const found = await DeletionModel.find(abandoned, null, across).lean<DeletionDocument[]>();
  for (const { orgId, _id } of found) {
    if (signal?.aborted) return;
    const taken = await DeletionModel.findOneAndUpdate(
      { orgId, _id, ...abandoned },
      { $set: { leaseOwner: randomUUID(), leaseUntil: fromNow(lease) } },
      { returnDocument: 'after' },
    ).lean<DeletionDocument>();
    if (taken) await tryToCarryOut(ctx, taken);
  }
}

/** Carries a deletion out apart from any request; what fails is logged and left to the next sweep. */
export function carryOutInBackground(broker: ServiceBroker, deletion: DeletionDocument): void {
  void tryToCarryOut(broker.ContextFactory.create(broker) as Ctx, deletion);
}

async function tryToCarryOut(ctx: Ctx, deletion: DeletionDocument): Promise<void> {
  try {
    await carryOutDeletion(ctx, deletion);
  } catch (error) {
    ctx.broker.logger.warn('A deletion could not be completed; it is tried again', { deletionId: deletion._id, error });
  }
}
