import { fromNow } from '../../lib/clock.ts';
import { deleteInBatches, maxBatchSize } from '../../lib/remove-up-to.ts';
import type { TemplateDocument } from './documents.ts';
import type { TemplateKind } from './kind.ts';

/**
 * Removes templates that were deleted more than `keptFor` milliseconds ago, with their versions; for a scheduled sweep.
 */
export async function sweepTemplates({ templates, versions }: TemplateKind, keptFor: number): Promise<void> {
  const gone = await templates
    .find({ deletedAt: { $gt: new Date(0), $lte: fromNow(-keptFor) } })
    .setOptions({ acrossTenants: true })
    .limit(maxBatchSize)
    .lean<TemplateDocument[]>();
  for (const { orgId, _id } of gone) {
    await versions.deleteMany({ orgId, templateId: _id });
    await templates.deleteOne({ orgId, _id });
  }
}

/** Removes up to `most` of an organization's templates and versions and returns their number. Repeatable. */
export async function eraseTemplates(
  { templates, versions }: TemplateKind,
  orgId: string,
  most: number,
): Promise<number> {
  const removed = await deleteInBatches(templates, { orgId }, most);
  return removed + (await deleteInBatches(versions, { orgId }, Math.max(0, most - removed)));
}
