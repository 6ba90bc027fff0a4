import { now } from '../../../lib/clock.ts';
import { isDuplicateKey } from '../../../lib/database-errors.ts';
import { normalizeEmail } from '../../../lib/email-address.ts';
import { decrypt, encrypt } from '../../../lib/encryption.ts';
import { newId } from '../../../lib/ids.ts';
import { createInsertBatcher } from '../../../lib/insert-together.ts';
import { nativeCollection } from '../../../lib/native-collection.ts';
import { newDelivery } from '../../../messaging/delivery/documents.ts';
import { createWake } from '../../../messaging/delivery/wake.ts';
import type { Values } from '../../../messaging/templates/content.ts';
import { type MessageDocument, MessageModel } from '../../../models/mail/message.ts';
import { senderAddress } from '../sender/sender-address.ts';

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
