import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import { requireActiveOrganization } from '../../lib/clients/organizations.ts';
import { createKeyedMutex } from '../../lib/concurrency/keyed-mutex.ts';
import type { Ctx } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../lib/contract/examples.ts';
import type { Operation } from '../../lib/contract/idempotency.ts';
import {
  decodeCursor,
  defined,
  pageOf,
  pageQuery,
  pathId,
  singleLine,
  timestamp,
  toPage,
} from '../../lib/contract/input.ts';
import { now } from '../../lib/data/clock.ts';
import { insertIfAbsent } from '../../lib/data/collection.ts';
import { isDuplicateKey } from '../../lib/data/database-errors.ts';
import { type SavedReplyDocument, SavedReplyModel, savedReplyPrefix } from '../../models/connect/saved-reply.ts';
import { messageText } from './conversations/messages.ts';

const maxReplies = 200;
export const maxReplyName = 100;

const path = z.strictObject({ replyId: pathId(savedReplyPrefix) });

const fields = {
  name: singleLine(maxReplyName).describe('The name by which agents choose it; unique, upper and lower case alike.'),
  text: messageText.regex(/[^\s]/, 'Required.').describe('The text that is inserted, at most 5,000 characters.'),
};

const savedReplyOutput = z
  .strictObject({
    replyId: z.string(),
    name: z.string(),
    text: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'SavedReply' });

const exampleReply = {
  replyId: exampleId(savedReplyPrefix),
  name: 'Opening hours',
  text: 'The workshop is open from Tuesday to Saturday, 9 to 18.',
  createdAt: exampleInstant,
  updatedAt: exampleInstant,
} satisfies z.input<typeof savedReplyOutput>;

function toResponse({ _id, name, text, createdAt, updatedAt }: SavedReplyDocument): z.output<typeof savedReplyOutput> {
  const times = { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
  return { replyId: _id, name, text, ...times };
}

const keyOf = (name: string): string => name.normalize('NFKC').toLowerCase();

function nameTaken() {
  const message = 'Another saved reply has this name.';
  return apiError('CONFLICT', { message, details: [{ path: 'body.name', message }] });
}

const unknown = () => apiError('NOT_FOUND', { message: 'No saved reply has this id.' });

/**
 * Serializes the inserts of an organization in this process; concurrent requests on other nodes may exceed the limit.
 */
const runExclusive = createKeyedMutex();

/** GET /v1/connect/replies: the saved replies of the organization, by name. */
export const listReplies = defineAction({
  rest: 'GET /v1/connect/replies',
  summary: 'List the saved replies',
  description: 'Returns the texts that agents insert into their answers, in the order of their names.',
  permission: 'connect.read',
  tenant: 'required',
  input: { query: z.strictObject(pageQuery) },
  output: pageOf(savedReplyOutput),
  errors: ['CURSOR_INVALID'],
  example: { query: { limit: '20' }, output: { data: [exampleReply], nextCursor: null } },
  async handler({ query: { limit, cursor }, caller: { orgId } }) {
    const [after] = decodeCursor(cursor, 1) ?? [];
    const later = after === undefined ? {} : { nameKey: { $gt: after } };
    const replies = await SavedReplyModel.find({ orgId, ...later })
      .sort({ nameKey: 1 })
      .limit(limit + 1)
      .lean<SavedReplyDocument[]>();
    return toPage(replies, limit, ({ nameKey }) => [nameKey], toResponse);
  },
});

/** POST /v1/connect/replies: adds a saved reply. */
export const createReply = defineAction({
  rest: 'POST /v1/connect/replies',
  summary: 'Add a saved reply',
  description:
    'Adds a text that agents insert into their answers. A name that another saved reply has, in upper or lower case, ' +
    `is \`CONFLICT\`. An organization has at most ${maxReplies}; a further one is refused with \`LIMIT_REACHED\`.`,
  permission: 'connect.settings.write',
  tenant: 'required',
  input: { body: z.strictObject(fields).meta({ id: 'SavedReplyInput' }) },
  output: savedReplyOutput,
  status: 201,
  errors: ['CONFLICT', 'LIMIT_REACHED'],
  idempotent: {
    async resume({ caller: { orgId }, operation, ctx }) {
      const reply = await findReply(orgId, operation.newId(savedReplyPrefix));
      return reply && (await completeCreation(ctx, operation, reply));
    },
  },
  example: { body: { name: exampleReply.name, text: exampleReply.text }, output: exampleReply },
  async handler({ body: { name, text }, caller: { orgId }, operation, ctx }) {
    const at = now();
    const _id = operation.newId(savedReplyPrefix);
    const reply = { _id, orgId, name, nameKey: keyOf(name), text, createdAt: at, updatedAt: at };
    await runExclusive(orgId, () => insert(reply));
    return await completeCreation(ctx, operation, reply);
  },
});

async function insert(reply: SavedReplyDocument): Promise<void> {
  const { orgId } = reply;
  if ((await SavedReplyModel.countDocuments({ orgId })) >= maxReplies) {
    throw apiError('LIMIT_REACHED', {
      message: `The organization has ${maxReplies} saved replies already; remove one first.`,
    });
  }
  if (!(await insertIfAbsent<SavedReplyDocument>(SavedReplyModel, reply))) throw nameTaken();
}

/** Completes the operation after the insert. Idempotent. */
async function completeCreation(ctx: Ctx, operation: Operation, reply: SavedReplyDocument) {
  const { _id, orgId, name, text } = reply;
  await requireActiveOrganization(ctx, orgId, () => SavedReplyModel.deleteOne({ orgId, _id }));
  const id = operation.newId('aud');
  const target = { type: 'saved-reply', id: _id };
  await recordAuditEvent(ctx, { id, action: 'saved-reply.created', orgId, target, after: { name, text } });
  return toResponse(reply);
}

/** PATCH /v1/connect/replies/:replyId: changes the name or the text of a saved reply. */
export const updateReply = defineAction({
  rest: 'PATCH /v1/connect/replies/:replyId',
  summary: 'Change a saved reply',
  description: 'Changes the name or the text of a saved reply. Messages that contain the text stay as they are.',
  permission: 'connect.settings.write',
  tenant: 'required',
  input: { path, body: z.strictObject(fields).partial().meta({ id: 'SavedReplyUpdateInput' }) },
  output: savedReplyOutput,
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: {
    path: { replyId: exampleReply.replyId },
    body: { text: exampleReply.text },
    output: exampleReply,
  },
  async handler({ path: { replyId: _id }, body, caller: { orgId }, ctx }) {
    const changes = defined(body);
    const names = Object.keys(changes) as (keyof typeof changes)[];
    const before = await findReply(orgId, _id);
    if (!before) throw unknown();
    if (names.length === 0) return toResponse(before);
    const { name } = changes;
    const set = { ...changes, ...(name !== undefined && { nameKey: keyOf(name) }), updatedAt: now() };
    const after = await update(orgId, _id, set);
    await recordAuditEvent(ctx, {
      action: 'saved-reply.updated',
      orgId,
      target: { type: 'saved-reply', id: _id },
      before: Object.fromEntries(names.map((field) => [field, before[field]])),
      after: changes,
    });
    return toResponse(after);
  },
});

async function update(orgId: string, _id: string, set: Partial<SavedReplyDocument>): Promise<SavedReplyDocument> {
  try {
    const after = await SavedReplyModel.findOneAndUpdate(
      { orgId, _id },
      { $set: set },
      { returnDocument: 'after' },
    ).lean<SavedReplyDocument>();
    if (after) return after;
  } catch (error) {
    if (isDuplicateKey(error)) throw nameTaken();
    throw error;
  }
  throw unknown();
}

/** DELETE /v1/connect/replies/:replyId: deletes a saved reply. */
export const deleteReply = defineAction({
  rest: 'DELETE /v1/connect/replies/:replyId',
  summary: 'Remove a saved reply',
  description: 'Removes a saved reply. Messages that contain the text stay as they are.',
  permission: 'connect.settings.write',
  tenant: 'required',
  input: { path },
  output: z.void(),
  errors: ['NOT_FOUND'],
  example: { path: { replyId: exampleReply.replyId } },
  async handler({ path: { replyId: _id }, caller: { orgId }, ctx }) {
    const before = await SavedReplyModel.findOneAndDelete({ orgId, _id }).lean<SavedReplyDocument>();
    if (!before) throw unknown();
    const { name, text } = before;
    const target = { type: 'saved-reply', id: _id };
    await recordAuditEvent(ctx, { action: 'saved-reply.deleted', orgId, target, before: { name, text } });
  },
});

function findReply(orgId: string, _id: string): Promise<SavedReplyDocument | null> {
  return SavedReplyModel.findOne({ orgId, _id }).lean<SavedReplyDocument>().exec();
}
