import { apiError } from '../../../lib/errors.ts';
import { BlockModel, type BlockType } from '../../../models/connect/block.ts';

/** The identifiers by which a visitor can be blocked. */
export type Person = { visitorId: string; userId: string | null; network: string | null };

/** The id of a block; for an address, `value` is the keyed hash of its network. */
export const blockId = (orgId: string, type: BlockType, value: string): string => `${orgId}:${type}:${value}`;

/** The ids of all blocks that can apply to a person. */
export function blockIdsOf(orgId: string, { visitorId, userId, network }: Person): string[] {
  return [
    blockId(orgId, 'visitor', visitorId),
    ...(userId === null ? [] : [blockId(orgId, 'customer', userId)]),
    ...(network === null ? [] : [blockId(orgId, 'address', network)]),
  ];
}

/** The channel of everyone whom a block applies to; their streams are checked again when the block is created. */
export const blockChannel = (id: string): string => `connect:block:${id}`;

/** Throws VISITOR_BLOCKED when the visitor, the customer or the network may not write to the organization. */
export async function requireNotBlocked(orgId: string, person: Person): Promise<void> {
  if (await BlockModel.exists({ orgId, _id: { $in: blockIdsOf(orgId, person) } })) throw apiError('VISITOR_BLOCKED');
}
