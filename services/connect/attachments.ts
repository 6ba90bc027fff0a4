import { z } from 'zod';
import { type CallContext, call } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError, inputError } from '../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../lib/contract/examples.ts';
import { pathId, singleLine, timestamp } from '../../lib/contract/input.ts';
import { day, fromNow, hour, minute, now, second } from '../../lib/data/clock.ts';
import { nativeCollection } from '../../lib/data/collection.ts';
import { newId } from '../../lib/data/ids.ts';
import { pagesByInstant, type Sweep, sweepItems } from '../../lib/data/sweep.ts';
import { mebibyte } from '../../lib/format/bytes.ts';
import { type AttachmentDocument, AttachmentModel } from '../../models/connect/attachment.ts';
import { type ConversationDocument, ConversationModel } from '../../models/connect/conversation.ts';
import { type Attachment, type MessageDocument, MessageModel } from '../../models/connect/message.ts';
import { requireAgent } from './agents.ts';
import { conversationPath, exampleConversation, findConversation } from './conversations/conversations.ts';
import { maxAttachments } from './conversations/messages.ts';
import { countVisitor, visitorBytesOf } from './visitors/rate-limits.ts';
import { requireVisit, visitErrors, visitHeaders } from './visitors/visit.ts';

const owner = 'connect';
const uploadSeconds = (15 * minute) / second;
const downloadSeconds = (5 * minute) / second;
/** The maximum size of one file. */
export const maxBytes = 10 * mebibyte;
/**
 * How long an unused file is kept: an agent may take long to write an answer; a visitor's file is uploaded with the
 * message.
 */
const unusedFor = { agent: day, visitor: hour };
const batch = 200;
const removalBatchSize = 8;

export const attachmentIds = z
  .array(z.string().max(100))
  .max(maxAttachments, `Must have at most ${maxAttachments} attachments.`)
  .transform((ids) => [...new Set(ids)])
  .describe('The ids of uploaded files, at most 10.');

/** A file to upload. */
export const newAttachment = z
  .strictObject({
    fileName: singleLine(200),
    mimeType: z.string().regex(/^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/, {
      error: 'Must be a media type such as image/png.',
    }),
    size: z.int().min(1).max(maxBytes, `Must be at most ${maxBytes}.`).describe('The size in bytes, at most 10 MiB.'),
  })
  .meta({ id: 'AttachmentInput' });

/** The URL to PUT the file to; afterwards a message can name `attachmentId`. */
export const uploadOutput = z
  .strictObject({
    attachmentId: z.string(),
    uploadUrl: z.string(),
    method: z.literal('PUT'),
    headers: z.record(z.string(), z.string()),
    expiresAt: timestamp,
  })
  .meta({ id: 'AttachmentUpload' });

export const downloadOutput = z.strictObject({ url: z.string(), expiresAt: timestamp }).meta({ id: 'SignedUrl' });

const signedUrl = 'http://localhost:3001/v1/objects/connect/jean.png?signature=eyJtZXRob2Qi.x9';

export const exampleUpload = {
  attachmentId: exampleId('obj'),
  uploadUrl: signedUrl,
  method: 'PUT',
  headers: { 'Content-Type': 'image/png' },
  expiresAt: exampleInstant,
} satisfies z.input<typeof uploadOutput>;

export const exampleDownload = { url: signedUrl, expiresAt: exampleInstant };

/** Signs an upload URL for a file of a conversation or a visitor. */
export async function openUpload(
  ctx: CallContext,
  { orgId, folder, byVisitor }: Pick<AttachmentDocument, 'orgId' | 'folder' | 'byVisitor'>,
  { fileName, mimeType, size }: z.output<typeof newAttachment>,
): Promise<z.output<typeof uploadOutput>> {
  const attachmentId = newId('obj');
  const unused = { usedAt: null, claimedAt: null };
  const record = { _id: attachmentId, orgId, folder, byVisitor, fileName, ...unused, createdAt: now() };
  // The record is stored first, so that the sweep knows every file.
  await nativeCollection<AttachmentDocument>(AttachmentModel).insertOne(record);
  const body = { orgId, owner, key: keyOf(record), mimeType, size, expiresIn: uploadSeconds } as const;
  const { uploadUrl, headers, expiresAt } = await call(ctx, 'storage.system.presign-upload', { body });
  return { attachmentId, uploadUrl, method: 'PUT', headers, expiresAt };
}

/** Returns the uploaded files of a folder for a message; throws INPUT_INVALID naming a missing one. */
export async function takeAttachments(
  ctx: CallContext,
  orgId: string,
  folder: string,
  ids: string[],
): Promise<Attachment[]> {
  if (ids.length === 0) return [];
  const unclaimed = { orgId, folder, _id: { $in: ids }, claimedAt: null };
  const records = await AttachmentModel.find(unclaimed).lean<AttachmentDocument[]>();
  const found = new Map(records.map((record) => [record._id, record]));
  const keys = records.map(keyOf);
  const { objects } =
    keys.length > 0 ? await call(ctx, 'storage.system.describe', { body: { orgId, owner, keys } }) : { objects: [] };
  const attachments = ids.map((id, place): Attachment => {
    const record = found.get(id);
    const object = record && objects.find(({ key }) => key === keyOf(record));
    if (!record || !object) throw noSuchFile(place);
    return { ...object, fileName: record.fileName };
  });
  // Marked before the message names them, so that the sweep claims none of them.
  const { matchedCount } = await AttachmentModel.updateMany(unclaimed, { $set: { usedAt: now() } });
  if (matchedCount < ids.length) {
    // The sweep has claimed one since and may have removed it.
    const kept = new Set((await AttachmentModel.find(unclaimed, { _id: 1 }).lean()).map(({ _id }) => _id));
    throw noSuchFile(ids.findIndex((id) => !kept.has(id)));
  }
  return attachments;
}

const noSuchFile = (place: number) =>
  inputError([
    { path: `body.attachments.${place}`, message: 'The file does not exist; PUT it to its uploadUrl first.' },
  ]);

/**
 * Signs a download URL for a file of a conversation's message. Browsers save it under its name and never show it.
 *
 * @param canRead whether the reader may read the message. Throws NOT_FOUND if no readable message has the file.
 */
export async function openDownload(
  ctx: CallContext,
  { orgId, _id: conversationId, last }: ConversationDocument,
  attachmentId: string,
  canRead: (message: MessageDocument) => boolean,
): Promise<z.output<typeof downloadOutput>> {
  const isNamed = ({ key }: Attachment) => key.endsWith(`/${attachmentId}`);
  const record = await AttachmentModel.findOne({ orgId, _id: attachmentId }).lean<AttachmentDocument>();
  const key = record && keyOf(record);
  const message = last.attachments.some(isNamed)
    ? last
    : key && (await MessageModel.findOne({ orgId, conversationId, 'attachments.key': key }).lean<MessageDocument>());
  if (!key || !message || !canRead(message)) throw apiError('NOT_FOUND', { message: 'No attachment has this id.' });
  const body = { orgId, owner, key, fileName: record.fileName, expiresIn: downloadSeconds } as const;
  return await call(ctx, 'storage.system.presign-download', { body });
}

/** Deletes files and their records. Repeatable. */
export async function removeAttachments(ctx: CallContext, orgId: string, keys: string[]): Promise<void> {
  for (let at = 0; at < keys.length; at += batch) {
    const chunkOfKeys = keys.slice(at, at + batch);
    await call(ctx, 'storage.system.delete', { body: { orgId, owner, keys: chunkOfKeys } });
    const ids = chunkOfKeys.map((key) => key.slice(key.lastIndexOf('/') + 1));
    await AttachmentModel.deleteMany({ orgId, _id: { $in: ids } });
  }
}

/** Deletes about `most` files of the records that a filter finds, and returns their number. */
export async function removeAttachmentsOf(
  ctx: CallContext,
  orgId: string,
  filter: object,
  most: number,
): Promise<number> {
  let removed = 0;
  while (removed < most) {
    const records = await AttachmentModel.find({ orgId, ...filter })
      .limit(Math.min(batch, most - removed))
      .lean<AttachmentDocument[]>();
    if (records.length === 0) break;
    await removeAttachments(ctx, orgId, records.map(keyOf));
    removed += records.length;
  }
  return removed;
}

/** Deletes files that no message used: of visitors after an hour, of agents after a day. */
export async function sweepUnusedAttachments(ctx: CallContext, sweep: Sweep): Promise<void> {
  const rules = [
    { filter: { byVisitor: true, usedAt: null }, until: fromNow(-unusedFor.visitor) },
    { filter: { usedAt: null }, until: fromNow(-unusedFor.agent) },
  ];
  for (const rule of rules) {
    const pages = pagesByInstant<AttachmentDocument>(AttachmentModel, { field: 'createdAt', ...rule }, batch);
    await sweepItems(sweep, pages, removalBatchSize, (record) => removeUnused(ctx, record));
  }
}

/** Claims a file before deleting it, so that no message can use it in between. A crashed claim is repeated. */
async function removeUnused(ctx: CallContext, record: AttachmentDocument): Promise<void> {
  const { orgId, _id } = record;
  const { matchedCount } = await AttachmentModel.updateOne(
    { orgId, _id, usedAt: null },
    { $set: { claimedAt: now() } },
  );
  if (matchedCount === 1) await removeAttachments(ctx, orgId, [keyOf(record)]);
}

const keyOf = ({ folder, _id }: Pick<AttachmentDocument, 'folder' | '_id'>): string => `${folder}/${_id}`;

const id = exampleConversation.conversationId;
const file = { fileName: 'saddle.png', mimeType: 'image/png', size: 48_120 };
const headers = visitHeaders;
const exampleHeaders = { authorization: 'Bearer eyJvcmdJZCI6Im9yZ18.b2Y' };

/** POST /v1/conversations/:id/attachments: signs a URL to which an agent PUTs a file for a message. */
export const createAttachment = defineAction({
  rest: 'POST /v1/conversations/:id/attachments',
  summary: 'Sign an address for a file of an answer',
  description:
    'Signs an address to which you PUT a file of at most 10 MiB within 15 minutes. Then name the `attachmentId` in ' +
    'a message. A file that no message names is deleted after a day.',
  permission: 'connect.write',
  tenant: 'required',
  input: { path: conversationPath, body: newAttachment },
  output: uploadOutput,
  errors: ['NOT_FOUND', 'AGENT_REQUIRED'],
  example: { path: { id }, body: file, output: exampleUpload },
  async handler({ path, body, caller, ctx }) {
    await requireAgent(caller);
    const { orgId, _id: folder } = await findConversation(caller.orgId, path.id);
    return await openUpload(ctx, { orgId, folder, byVisitor: false }, body);
  },
});

/** GET /v1/conversations/:id/attachments/:attachmentId: signs a URL that reads a file for 5 minutes. */
export const readAttachment = defineAction({
  rest: 'GET /v1/conversations/:id/attachments/:attachmentId',
  summary: 'Sign an address to read a file of a conversation',
  description:
    'Signs an address that reads a file of a message for five minutes. Browsers save the file under its name and ' +
    'never show it.',
  permission: 'connect.read',
  tenant: 'required',
  input: { path: conversationPath.extend({ attachmentId: pathId('obj') }) },
  output: downloadOutput,
  errors: ['NOT_FOUND', 'AGENT_REQUIRED'],
  example: { path: { id, attachmentId: exampleUpload.attachmentId }, output: exampleDownload },
  async handler({ path, caller, ctx }) {
    await requireAgent(caller);
    const conversation = await findConversation(caller.orgId, path.id);
    return await openDownload(ctx, conversation, path.attachmentId, () => true);
  },
});

/** POST /v1/widget/attachments: signs a URL to which the visitor PUTs a file for a message. */
export const createWidgetAttachment = defineAction({
  rest: 'POST /v1/widget/attachments',
  summary: 'Sign an address for a file of the visitor',
  description:
    "Signs an address to which the visitor's browser PUTs a file of at most 10 MiB within 15 minutes. Then name " +
    'the `attachmentId` in a message. A file that no message names is deleted after an hour.',
  permission: 'public',
  input: { body: newAttachment, headers },
  output: uploadOutput,
  errors: [...visitErrors],
  exposure: { cors: 'own' },
  example: { headers: exampleHeaders, body: file, output: exampleUpload },
  async handler({ body, headers: sent, ctx }) {
    const { orgId, visitorId } = await requireVisit(ctx, sent);
    await countVisitor(ctx, 'files', { orgId, visitorId });
    const { entitlements } = await call(ctx, 'billing.entitlements.describe', { body: { orgId } });
    const storage = entitlements?.storage;
    const mostOfOrganization = visitorBytesOf(storage?.enabled ? storage.storageGb : null);
    await countVisitor(ctx, 'bytes', { orgId, visitorId, amount: body.size, mostOfOrganization });
    return await openUpload(ctx, { orgId, folder: visitorId, byVisitor: true }, body);
  },
});

/** GET /v1/widget/attachments/:attachmentId: signs a URL by which the visitor reads a file for 5 minutes. */
export const readWidgetAttachment = defineAction({
  rest: 'GET /v1/widget/attachments/:attachmentId',
  summary: "Sign an address to read a file of the visitor's conversation",
  description:
    "Signs an address that reads a file of the visitor's conversation for five minutes. A file of an internal note " +
    'is `NOT_FOUND`.',
  permission: 'public',
  input: {
    path: z.strictObject({ attachmentId: pathId('obj') }),
    query: z.strictObject({ conversationId: z.string() }),
    headers,
  },
  output: downloadOutput,
  errors: [...visitErrors, 'NOT_FOUND'],
  exposure: { cors: 'own' },
  example: {
    headers: exampleHeaders,
    path: { attachmentId: exampleUpload.attachmentId },
    query: { conversationId: id },
    output: exampleDownload,
  },
  async handler({ path: { attachmentId }, query: { conversationId }, headers: sent, ctx }) {
    const { orgId, visitorId } = await requireVisit(ctx, sent);
    const own = { orgId, _id: conversationId, visitorId };
    const conversation = await ConversationModel.findOne(own).lean<ConversationDocument>();
    if (!conversation) throw apiError('NOT_FOUND', { message: 'No conversation has this id.' });
    return await openDownload(ctx, conversation, attachmentId, ({ publicSeq }) => publicSeq !== null);
  },
});
