import { now } from '../../../lib/clock.ts';
import { idPattern } from '../../../lib/ids.ts';
import { type Feedback, type MessageDocument, MessageModel, platformMail } from '../../../models/mail/message.ts';
import { normalAddress } from '../messages/addresses.ts';
import { suppress } from '../suppressions/store.ts';

/** What a mail service reports of one recipient of a message. */
export type Report = Omit<Feedback, 'at'> & { messageId: string; recipient: string | null };

const maxFeedback = 20;
const maxDetailLength = 300;

/**
 * Notes what became of a message, and suppresses an address that bounced for good or complained. A report about a
 * message that is unknown, or about another recipient, is ignored. Idempotent: reports are repeated.
 */
export async function applyReport({ messageId, recipient, type, isPermanent, detail }: Report): Promise<void> {
  if (!idPattern('msg').test(messageId)) return;
  const message = await MessageModel.findOne({ _id: messageId })
    .setOptions({ acrossTenants: true })
    .lean<MessageDocument>();
  if (!message || (recipient !== null && normalAddress(recipient) !== message.recipient)) return;
  const { orgId, _id, to, feedback, templateId } = message;
  const isKnown = feedback.some((one) => one.type === type && one.isPermanent === isPermanent);
  if (!isKnown && feedback.length < maxFeedback) {
    const note: Feedback = { type, isPermanent, detail: shorten(detail), at: now() };
    const bounced = type === 'bounced' && isPermanent ? { status: 'bounced' as const } : {};
    await MessageModel.updateOne({ orgId, _id }, { $push: { feedback: note }, $set: { ...bounced, updatedAt: now() } });
  }
  // The platform's own mail is asked for by its recipient each time, and is never suppressed.
  if (orgId === platformMail || templateId === null) return;
  if (type === 'complained' || isPermanent) await suppress({ orgId, address: to, reason: type, messageId });
}

/** Without addresses and links, which a server may quote. */
function shorten(detail: string): string {
  return detail
    .replace(/\b[a-z][a-z+.-]*:\/\/\S+/gi, '(link)')
    .replace(/\S+@\S+/g, '(address)')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, maxDetailLength);
}
