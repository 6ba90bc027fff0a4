import { settleEach, settlementInput, settlementOutput } from '../../../lib/clients/quota.ts';
import { quotaBatchWindow } from '../../../lib/clients/quota-batches.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { createInsertBatcher } from '../../../lib/data/batched-access.ts';
import { now } from '../../../lib/data/clock.ts';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { isDuplicateKey } from '../../../lib/data/database-errors.ts';
import { newId } from '../../../lib/data/ids.ts';
import { normalizeEmail } from '../../../lib/format/email-address.ts';
import { senderAddress } from '../../../lib/net/sender-address.ts';
import { decrypt, encrypt } from '../../../lib/security/encryption.ts';
import { createWake } from '../../../messaging/delivery/deliverer.ts';
import { newDelivery } from '../../../messaging/delivery/documents.ts';
import type { Values } from '../../../messaging/templates/content.ts';
import { type MessageDocument, MessageModel } from '../../../models/mail/message.ts';

/** The rendered content of a mail. */
export type Body = { html?: string; text?: string };

/**
 * The source of a mail's content: the variables for its template version; the platform's own mail is stored rendered.
 */
export type StoredBody = Body | { variables: Values };

/** Wakes the mail delivery of this process. */
export const mailWake = createWake();

export type NewSystemMessage = Body & Pick<MessageDocument, 'orgId' | 'key' | 'to' | 'subject'>;

/**
 * Stores one of the platform's own mails durably for sending. Idempotent by its key. Returns the message's id.
 */
export async function queueSystemMessage({ html, text, ...message }: NewSystemMessage): Promise<string> {
  const document: MessageDocument = {
    ...newMessage(now()),
    _id: newId('msg'),
    ...message,
    recipient: normalizeEmail(message.to),
    from: senderAddress(),
    sealedBody: sealBody({ ...(html !== undefined && { html }), ...(text !== undefined && { text }) }),
  };
  try {
    await nativeCollection<MessageDocument>(MessageModel).insertOne(document);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return await idOfKey(message.key, error);
  }
  mailWake.wake();
  return document._id;
}

/** Returns the common fields of a newly accepted message. */
export function newMessage(
  at: Date,
): Omit<MessageDocument, '_id' | 'orgId' | 'key' | 'to' | 'recipient' | 'from' | 'sealedBody'> {
  return {
    ...newDelivery(at),
    status: 'queued',
    replyTo: null,
    subject: '',
    templateId: null,
    templateVersion: null,
    category: 'transactional',
    locale: null,
    attachments: [],
    refundDue: false,
    feedback: [],
    sentAt: null,
  };
}

/** Stores an organization's message; false when its id exists. Concurrent inserts share one command. */
export const insertMessage = createInsertBatcher<MessageDocument>(MessageModel);

async function idOfKey(key: string, refusal: unknown): Promise<string> {
  const stored = await MessageModel.findOne({ key }, { _id: 1 }).setOptions({ acrossTenants: true }).lean();
  // The message was removed between the two commands: the caller may retry.
  if (!stored) throw refusal;
  return stored._id;
}

const purpose = 'mail';

export function sealBody(body: StoredBody): string {
  return encrypt(purpose, JSON.stringify(body));
}

export function openBody(sealed: string): StoredBody {
  return JSON.parse(decrypt(purpose, sealed)) as StoredBody;
}

/** `mail.quota.settle`, called by billing: counts the messages stored with the units of each reserved batch. */
export const settleQuota = defineAction({
  summary: 'Count the messages that were stored with batches of quota',
  permission: 'internal',
  input: settlementInput,
  output: settlementOutput,
  handler: ({ body: { orgId, keys } }) => settleEach(keys, (key) => countOf(orgId, key)),
});

/** All messages of a batch were stored within its time window, so the query needs no index on the batch. */
async function countOf(orgId: string, key: string): Promise<number> {
  const window = quotaBatchWindow(key);
  if (!window) return 0;
  return await MessageModel.countDocuments({ orgId, createdAt: { $gte: window.from, $lte: window.to }, lot: key });
}
