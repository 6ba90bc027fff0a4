import { apiError } from '../../../lib/errors.ts';
import { BlockModel, type BlockType } from '../../../models/connect/block.ts';

/** Who a block may be about. */
export type Person = { visitorId: string; userId: string | null; network: string | null };

/** The id of a block; of an address the keyed hash of its network. */
export const blockId = (orgId: string, type: BlockType, value: string): string => `${orgId}:${type}:${value}`;

/** The ids of all blocks that a person can have. */
export function blockIdsOf(orgId: string, { visitorId, userId, network }: Person): string[] {
  return [
    blockId(orgId, 'visitor', visitorId),
    ...(userId === null ? [] : [blockId(orgId, 'customer', userId)]),
    ...(network === null ? [] : [blockId(orgId, 'address', network)]),
  ];
}

/** The channel of those whom a block is about, or would be: their streams are checked when it is made. */
export const blockChannel = (id: string): string => `connect:block:${id}`;

/** Throws VISITOR_BLOCKED when the visitor, the customer or the network may not write to the organization. */
export async function requireNotBlocked(orgId: string, person: Person): Promise<void> {
  if (await BlockModel.exists({ orgId, _id: { $in: blockIdsOf(orgId, person) } })) throw apiError('VISITOR_BLOCKED');
}
