import type { Model } from 'mongoose';
import { maxBatchSize } from '../../lib/remove-up-to.ts';
import type { DeliveryFields } from './documents.ts';

/**
 * Deletes the deliveries of all organizations with one of the statuses that were accepted up to `until`, oldest first.
 */
export async function removeEnded<D extends DeliveryFields>(
  model: Model<D>,
  statuses: D['status'][],
  until: Date,
  signal: AbortSignal,
): Promise<void> {
  const documents = model as unknown as Model<DeliveryFields>;
  const ended = { status: { $in: statuses }, createdAt: { $lte: until } };
  while (!signal.aborted) {
    const expired = await documents
      .find(ended, { _id: 1 })
      .setOptions({ acrossTenants: true })
      .sort({ createdAt: 1 })
      .limit(maxBatchSize)
      .lean();
    if (expired.length === 0) return;
    const batch = { ...ended, _id: { $in: expired.map(({ _id }) => _id) } };
    await documents.deleteMany(batch).setOptions({ acrossTenants: true });
  }
}
