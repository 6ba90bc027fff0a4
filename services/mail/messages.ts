import { now } from '../../lib/clock.ts';
import { isDuplicateKey } from '../../lib/database-errors.ts';
import { decrypt, encrypt } from '../../lib/encryption.ts';
import { newId } from '../../lib/ids.ts';
import { nativeCollection } from '../../lib/native-collection.ts';
import { type MessageDocument, MessageModel } from '../../models/mail/message.ts';
import { senderAddress } from './sender-address.ts';
import { wakeSender } from './wake.ts';

export type Body = { html: string; text: string };

export type NewMessage = Body & Pick<MessageDocument, 'orgId' | 'key' | 'to' | 'subject'>;

/**
 * Stores a mail durably for sending, and wakes this process's sender. Idempotent by its key. Returns the message's id.
 */
export async function queueMessage({ html, text, ...message }: NewMessage): Promise<string> {
  const at = now();
  const document: MessageDocument = {
    _id: newId('msg'),
    ...message,
    from: senderAddress(),
    sealedBody: sealBody({ html, text }),
    status: 'queued',
    attempts: 0,
    nextAttemptAt: at,
    leaseOwner: null,
    leaseUntil: null,
    lastError: null,
    createdAt: at,
    updatedAt: at,
    sentAt: null,
  };
  try {
    await nativeCollection<MessageDocument>(MessageModel).insertOne(document);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return await idOfKey(message.key, error);
  }
  wakeSender();
  return document._id;
}

async function idOfKey(key: string, refusal: unknown): Promise<string> {
  const stored = await MessageModel.findOne({ key }, { _id: 1 }).setOptions({ acrossTenants: true }).lean();
  // The message was removed between the two commands: the caller may retry.
  if (!stored) throw refusal;
  return stored._id;
}

const purpose = 'mail';

export function sealBody(body: Body): string {
  return encrypt(purpose, JSON.stringify(body));
}

export function openBody(sealed: string): Body {
  return JSON.parse(decrypt(purpose, sealed)) as Body;
}
