import { isIP } from 'node:net';
import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import { limitsOf, requireRoom } from '../../lib/clients/plan-limits.ts';
import { createKeyedMutex } from '../../lib/concurrency/keyed-mutex.ts';
import type { CallContext } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError, inputError } from '../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../lib/contract/examples.ts';
import { afterInstant, optionalLine, pageOf, pageQuery, timestamp, toPage } from '../../lib/contract/input.ts';
import { oneOf } from '../../lib/contract/json-schema.ts';
import { now } from '../../lib/data/clock.ts';
import { insertIfAbsent } from '../../lib/data/collection.ts';
import { type BlockDocument, BlockModel, type BlockType, blockTypes } from '../../models/connect/block.ts';
import { type VisitorDocument, VisitorModel } from '../../models/connect/visitor.ts';
import { endStreamsOf } from './conversations/hints.ts';
import { hashOfNetwork } from './visitors/visitors.ts';

/** The identifiers by which a visitor can be blocked. */
export type Person = { visitorId: string; userId: string | null; network: string | null };

/** The id of a block; for an address, `value` is the keyed hash of its network. */
const blockId = (orgId: string, type: BlockType, value: string): string => `${orgId}:${type}:${value}`;

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

/**
 * Serializes the inserts of an organization in this process; concurrent requests on other nodes may exceed the limit.
 */
const runExclusive = createKeyedMutex();

const address = z
  .string()
  .refine((text) => isIP(text) !== 0, 'Must be an IP address.')
  .meta({
    anyOf: [
      { type: 'string', format: 'ipv4' },
      { type: 'string', format: 'ipv6' },
    ],
  })
  .describe('An IPv4 or IPv6 address. An IPv6 address means its /64 network.');
const visitorId = z.string().min(1).max(100);
const customerId = z.string().min(1).max(256);

/** The subject of a block: exactly one of the three. An IPv6 address means its /64 network. */
const personInput = { visitorId: visitorId.optional(), customerId: customerId.optional(), address: address.optional() };
/** Repeated on each parameter, because OpenAPI cannot express "exactly one of" for query parameters. */
const onePerson = { description: 'Exactly one of visitorId, customerId and address is required.' };
const personQuery = {
  visitorId: personInput.visitorId.meta(onePerson),
  customerId: personInput.customerId.meta(onePerson),
  address: personInput.address.meta(onePerson),
};

const blockOutput = z
  .strictObject({
    type: z.enum(blockTypes).describe('What is blocked.'),
    value: z
      .string()
      .nullable()
      .describe(
        "The id of the visitor or customer, or the IP address; null for a visitor's address, which is not stored in " +
          'clear text.',
      ),
    visitorId: z.string().nullable().describe('The visitor whose address is blocked; null otherwise.'),
    reason: z.string(),
    createdAt: timestamp,
  })
  .meta({ id: 'Block' });

const exampleBlock = {
  type: 'visitor',
  value: exampleId('vis'),
  visitorId: null,
  reason: 'Spam',
  createdAt: exampleInstant,
} satisfies z.input<typeof blockOutput>;

/** GET /v1/connect/blocks: the blocks of the organization, newest first. */
export const listBlocks = defineAction({
  rest: 'GET /v1/connect/blocks',
  summary: 'List the blocked visitors, customers and addresses',
  description: 'Returns the blocks of the organization, the newest first.',
  permission: 'connect.read',
  tenant: 'required',
  input: { query: z.strictObject(pageQuery) },
  output: pageOf(blockOutput),
  errors: ['CURSOR_INVALID'],
  example: { query: { limit: '20' }, output: { data: [exampleBlock], nextCursor: null } },
  async handler({ query: { limit, cursor }, caller: { orgId } }) {
    const blocks = await BlockModel.find({ orgId, ...afterInstant(cursor, ['createdAt', '_id'], -1) })
      .sort({ createdAt: -1, _id: -1 })
      .limit(limit + 1)
      .lean<BlockDocument[]>();
    return toPage(blocks, limit, ({ createdAt, _id }) => [createdAt.toISOString(), _id], toBlockResponse);
  },
});

/**
 * POST /v1/connect/blocks: blocks a visitor, a customer or an address. `withAddress` also blocks the network of the
 * visitor's last session. Idempotent.
 */
export const createBlock = defineAction({
  rest: 'POST /v1/connect/blocks',
  summary: 'Block a visitor, a customer or an address',
  description:
    'Blocks a visitor, a customer or an IP address; exactly one of the three is sent. `withAddress` also blocks ' +
    "the network of the visitor's last session. It takes effect immediately, also for open streams. A repeated " +
    'call changes nothing.',
  permission: 'connect.settings.write',
  tenant: 'required',
  input: {
    body: z
      .strictObject({
        ...personInput,
        withAddress: z
          .boolean()
          .default(false)
          .describe("Whether the network of the visitor's last session is blocked too."),
        reason: optionalLine(200).default(''),
      })
      .meta({ id: 'BlockInput', ...oneOf('visitorId', 'customerId', 'address') }),
  },
  output: z
    .strictObject({ data: z.array(blockOutput).describe('The blocks of the request.') })
    .meta({ id: 'BlockList' }),
  status: 201,
  errors: ['PLAN_LIMIT_EXCEEDED'],
  // A block's id is derived from the input.
  idempotent: { resume: 'rerun' },
  example: { body: { visitorId: exampleBlock.value, reason: 'Spam' }, output: { data: [exampleBlock] } },
  async handler({ body, caller: { orgId }, operation, ctx }) {
    const { type, value } = personOf(body, 'body');
    if (body.withAddress && type !== 'visitor') {
      throw inputError([{ path: 'body.withAddress', message: 'Requires visitorId.' }]);
    }
    const shared = { orgId, reason: body.reason, createdAt: now() };
    const blocks = [{ _id: idOf(orgId, { type, value }), type, value, visitorId: null, ...shared } as BlockDocument];
    if (body.withAddress) blocks.push(...(await blockOfNetwork(orgId, value, shared)));
    await runExclusive(orgId, () => insertBlocks(ctx, orgId, blocks));
    for (const { _id } of blocks) await endStreamsOf(ctx, blockChannel(_id));
    const target = { type: `blocked-${type}`, id: value };
    await recordAuditEvent(ctx, { id: operation.newId('aud'), action: 'block.created', orgId, target });
    const _id = { $in: blocks.map((block) => block._id) };
    return {
      data: (await BlockModel.find({ orgId, _id }).sort({ _id: 1 }).lean<BlockDocument[]>()).map(toBlockResponse),
    };
  },
});

/** DELETE /v1/connect/blocks: unblocks a visitor with the visitor's network, a customer or an address. */
export const deleteBlock = defineAction({
  rest: 'DELETE /v1/connect/blocks',
  summary: 'Unblock a visitor, a customer or an address',
  description:
    'Removes the block of a visitor with the block of their network, of a customer, or of an IP address. Exactly ' +
    'one of the three is named; without a block the answer is `NOT_FOUND`.',
  permission: 'connect.settings.write',
  tenant: 'required',
  input: { query: z.strictObject(personQuery) },
  output: z.void(),
  errors: ['NOT_FOUND'],
  example: { query: { visitorId: exampleBlock.value } },
  async handler({ query, caller: { orgId }, ctx }) {
    const { type, value } = personOf(query, 'query');
    const { deletedCount } = await BlockModel.deleteOne({ orgId, _id: idOf(orgId, { type, value }) });
    const ofNetwork = type === 'visitor' ? await BlockModel.deleteMany({ orgId, visitorId: value }) : null;
    if (deletedCount + (ofNetwork?.deletedCount ?? 0) === 0)
      throw apiError('NOT_FOUND', { message: 'The block does not exist.' });
    await recordAuditEvent(ctx, { action: 'block.deleted', orgId, target: { type: `blocked-${type}`, id: value } });
  },
});

type BlockedPerson = Pick<BlockDocument, 'type'> & { value: string };
type Given = { visitorId?: string | undefined; customerId?: string | undefined; address?: string | undefined };

function personOf(identifiers: Given, part: 'body' | 'query'): BlockedPerson {
  const persons = [
    { type: 'visitor' as const, value: identifiers.visitorId },
    { type: 'customer' as const, value: identifiers.customerId },
    { type: 'address' as const, value: identifiers.address },
  ].filter((one): one is BlockedPerson => one.value !== undefined);
  const [person] = persons;
  if (person && persons.length === 1) return person;
  throw inputError([
    { path: `${part}.visitorId`, message: 'Exactly one of visitorId, customerId and address is required.' },
  ]);
}

const idOf = (orgId: string, { type, value }: BlockedPerson): string =>
  blockId(orgId, type, type === 'address' ? hashOfNetwork(value) : value);

/** Inserts the missing blocks, if the plan has room for them. */
async function insertBlocks(ctx: CallContext, orgId: string, blocks: BlockDocument[]): Promise<void> {
  const ids = blocks.map(({ _id }) => _id);
  const present = new Set(
    (await BlockModel.find({ orgId, _id: { $in: ids } }, { _id: 1 }).lean()).map(({ _id }) => _id),
  );
  const added = blocks.filter(({ _id }) => !present.has(_id));
  if (added.length === 0) return;
  const total = await BlockModel.countDocuments({ orgId });
  requireRoom(await limitsOf(ctx, orgId), { orgId, name: 'blocks', present: total, added: added.length });
  for (const block of added) await insertIfAbsent<BlockDocument>(BlockModel, block);
}

async function blockOfNetwork(
  orgId: string,
  visitor: string,
  shared: Pick<BlockDocument, 'orgId' | 'reason' | 'createdAt'>,
): Promise<BlockDocument[]> {
  const found = await VisitorModel.findOne({ orgId, _id: visitor }).lean<VisitorDocument>();
  if (!found?.network) return [];
  return [
    { _id: blockId(orgId, 'address', found.network), type: 'address', value: null, visitorId: visitor, ...shared },
  ];
}

function toBlockResponse({
  type,
  value,
  visitorId: visitor,
  reason,
  createdAt,
}: BlockDocument): z.output<typeof blockOutput> {
  return { type, value, visitorId: visitor, reason, createdAt: createdAt.toISOString() };
}
