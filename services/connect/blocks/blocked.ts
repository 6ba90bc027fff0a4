import { fail } from '../../../lib/errors.ts';
import { BlockModel, type BlockType } from '../../../models/connect/block.ts';

type Person = { visitorId: string; userId: string | null; network: string | null };

/** The id of a block; of an address the keyed hash of its network. */
export const blockId = (orgId: string, type: BlockType, value: string): string => `${orgId}:${type}:${value}`;

/** Throws VISITOR_BLOCKED when the visitor, the customer or the network may not write to the organization. */
export async function requireNotBlocked(orgId: string, { visitorId, userId, network }: Person): Promise<void> {
  const ids = [
    blockId(orgId, 'visitor', visitorId),
    ...(userId === null ? [] : [blockId(orgId, 'customer', userId)]),
    ...(network === null ? [] : [blockId(orgId, 'address', network)]),
  ];
  if (await BlockModel.exists({ orgId, _id: { $in: ids } })) throw fail('VISITOR_BLOCKED');
}
