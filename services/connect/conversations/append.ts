import { setTimeout as wait } from 'node:timers/promises';
import type { OptionalUnlessRequiredId } from 'mongodb';
import { createKeyedMutex } from '../../../lib/concurrency/keyed-mutex.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { hashJson } from '../../../lib/data/canonical-json.ts';
import { now } from '../../../lib/data/clock.ts';
import { deleteInBatches, insertIfAbsent } from '../../../lib/data/collection.ts';
import { cutText } from '../../../lib/format/graphemes.ts';
import { type ConversationDocument, ConversationModel } from '../../../models/connect/conversation.ts';
import { type Attachment, type Author, type MessageDocument, MessageModel } from '../../../models/connect/message.ts';
import { nameKeyOf } from '../visitors/visitors.ts';

/** A message before it gets a number. */
export type Draft = {
  id: string;
  echoKey: string;
  author: Author;
  text: string;
  attachments: Attachment[];
  isNote: boolean;
};

export type Appended = {
  conversation: ConversationDocument;
  message: MessageDocument;
  /** False if an earlier call with the same echo key added it. */
  isNew: boolean;
};

type Changes = Partial<Pick<ConversationDocument, 'status' | 'assigneeId' | 'closedAt'>>;
type Next = { append: ConversationDocument; changes: Changes } | { create: Created };
/** The fields of a new conversation before its first message. */
type Created = Pick<
  ConversationDocument,
  '_id' | 'orgId' | 'siteId' | 'visitorId' | 'ordinal' | 'customerId' | 'customerName' | 'identifiers'
>;

const maxPreview = 1000;
const maxPause = 20;

/**
 * Serializes the writers of a conversation in this process; writers on other nodes are detected by the guarded update.
 */
const inTurn = createKeyedMutex();

/**
 * Appends a message to the conversation that `choose` returns, or creates the one that it describes. One update assigns
 * the number and stores the message; it succeeds only if the conversation still has the number and status that `choose`
 * read, otherwise everything is read again. So numbers have no gaps or duplicates, even after a crash.
 *
 * @throws IDEMPOTENCY_MISMATCH another message was sent with the echo key.
 */
export function append(orgId: string, lane: string, draft: Draft, choose: () => Promise<Next>): Promise<Appended> {
  return inTurn(`${orgId}:${lane}`, async () => {
    for (let attempt = 0; ; attempt += 1) {
      const next = await choose();
      // Must follow the read of the conversation: a message added before that read is found here.
      const existing = await findByEcho(orgId, draft);
      if (existing) return existing;
      const appended =
        'create' in next ? await begin(next.create, draft) : await extend(next.append, draft, next.changes);
      if (appended) return appended;
      await wait(Math.random() * Math.min(maxPause, attempt));
    }
  });
}

/** Copies the last message of a conversation to the messages collection if it is missing there. */
export async function storeLast({ last }: Pick<ConversationDocument, 'last'>): Promise<void> {
  await insertIfAbsent<MessageDocument>(MessageModel, last as OptionalUnlessRequiredId<MessageDocument>);
}

/** Finds an earlier message with the echo key, first in the conversation, whose last message may not be copied yet. */
async function findByEcho(orgId: string, draft: Draft): Promise<Appended | null> {
  const { echoKey } = draft;
  const holding = await ConversationModel.findOne({ orgId, 'last.echoKey': echoKey }).lean<ConversationDocument>();
  const message = holding?.last ?? (await MessageModel.findOne({ orgId, echoKey }).lean<MessageDocument>());
  if (!message) return null;
  if (message.fingerprint !== fingerprintOf(draft)) {
    throw apiError('IDEMPOTENCY_MISMATCH', { message: 'This echoId was used with another message.' });
  }
  const conversation =
    holding ?? (await ConversationModel.findOne({ orgId, _id: message.conversationId }).lean<ConversationDocument>());
  return conversation && { conversation, message, isNew: false };
}

async function begin(created: Created, draft: Draft): Promise<Appended | null> {
  const at = now();
  const message = messageOf(created, draft, { seq: 1, publicSeq: 1, at });
  const isByVisitor = draft.author.type === 'visitor';
  const conversation: ConversationDocument = {
    ...created,
    nameKey: nameKeyOf(created.customerName),
    channel: 'web',
    status: 'open',
    assigneeId: null,
    lastSeq: 1,
    lastPublicSeq: 1,
    last: message,
    preview: previewOf(message),
    agentUnread: isByVisitor ? 1 : 0,
    visitorUnread: isByVisitor ? 0 : 1,
    agentReadSeq: 0,
    agentReadPublicSeq: 0,
    visitorReadSeq: 0,
    visitorReadPublicSeq: 0,
    createdAt: at,
    updatedAt: at,
    activeAt: at,
    publicAt: at,
    closedAt: null,
  };
  const isNew = await insertIfAbsent<ConversationDocument>(ConversationModel, conversation);
  return isNew ? { conversation, message, isNew } : null;
}

async function extend(previous: ConversationDocument, draft: Draft, changes: Changes): Promise<Appended | null> {
  await storeLast(previous);
  const { orgId, _id, lastSeq, lastPublicSeq, status } = previous;
  const at = now();
  const { isNote, author } = draft;
  const numbers = { seq: lastSeq + 1, publicSeq: isNote ? null : lastPublicSeq + 1, at };
  const message = messageOf(previous, draft, numbers);
  const isByVisitor = author.type === 'visitor';
  const set = {
    ...changes,
    // A conversation of an earlier version has none.
    ...(previous.nameKey === undefined && { nameKey: nameKeyOf(previous.customerName) }),
    lastSeq: numbers.seq,
    lastPublicSeq: numbers.publicSeq ?? lastPublicSeq,
    last: message,
    ...(!isNote && { preview: previewOf(message), publicAt: at }),
    updatedAt: at,
    activeAt: at,
  };
  const increments = isNote ? {} : { $inc: isByVisitor ? { agentUnread: 1 } : { visitorUnread: 1 } };
  const conversation = await ConversationModel.findOneAndUpdate(
    { orgId, _id, lastSeq, status },
    { $set: set, ...increments },
    { returnDocument: 'after' },
  ).lean<ConversationDocument>();
  if (conversation) return { conversation, message, isNew: true };
  await removeIfGone(previous);
  return null;
}

/** The conversation may have been deleted after the read, and its last message stored again afterwards. */
async function removeIfGone({ orgId, _id }: ConversationDocument): Promise<void> {
  if (await ConversationModel.exists({ orgId, _id })) return;
  await deleteInBatches(MessageModel, { orgId, conversationId: _id }, Number.POSITIVE_INFINITY);
}

type Numbers = { seq: number; publicSeq: number | null; at: Date };

function messageOf(
  { _id: conversationId, orgId }: Pick<ConversationDocument, '_id' | 'orgId'>,
  draft: Draft,
  { seq, publicSeq, at }: Numbers,
): MessageDocument {
  const { id, echoKey, author, text, attachments } = draft;
  const fingerprint = fingerprintOf(draft);
  return {
    _id: id,
    orgId,
    conversationId,
    seq,
    publicSeq,
    echoKey,
    fingerprint,
    author,
    text,
    attachments,
    createdAt: at,
  };
}

function fingerprintOf({ author, text, attachments, isNote }: Draft): string {
  return hashJson([author.type, author.id, text, attachments.map(({ key }) => key), isNote]);
}

function previewOf({ text, attachments }: MessageDocument): string {
  return cutText(text, maxPreview) || attachments.map(({ fileName }) => fileName).join(', ');
}
