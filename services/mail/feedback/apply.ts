import { now } from '../../../lib/clock.ts';
import { normalizeEmail } from '../../../lib/email-address.ts';
import { cutText } from '../../../lib/graphemes.ts';
import { idPattern } from '../../../lib/ids.ts';
import { type Feedback, type MessageDocument, MessageModel } from '../../../models/mail/message.ts';
import { suppressAfter } from '../suppressions/store.ts';

/** A report of a mail service about one recipient of a message. */
export type Report = Omit<Feedback, 'at'> & { messageId: string; recipient: string | null };

const maxDetailLength = 300;

/**
 * Records the report on the message, and suppresses an address that bounced permanently or complained. Ignores a report
 * about an unknown message or another recipient. Idempotent: a repeated report does not suppress an address again that
 * was removed from the list since.
 */
export async function applyReport({ messageId, recipient, type, isPermanent, detail }: Report): Promise<void> {
  if (!idPattern('msg').test(messageId)) return;
  const message = await MessageModel.findOne({ _id: messageId })
    .setOptions({ acrossTenants: true })
    .lean<MessageDocument>();
  if (!message || (recipient !== null && normalizeEmail(recipient) !== normalizeEmail(message.recipient))) return;
  const { orgId, _id, feedback } = message;
  if (feedback.some((one) => one.type === type && one.isPermanent === isPermanent)) return;
  // Runs before the report is recorded, so that a retry completes an interrupted one.
  if (isPermanent) await suppressAfter(message, type);
  const note: Feedback = { type, isPermanent, detail: shorten(detail), at: now() };
  const bounced = type === 'bounced' && isPermanent ? { status: 'bounced' as const } : {};
  await MessageModel.updateOne(
    { orgId, _id, feedback: { $not: { $elemMatch: { type, isPermanent } } } },
    { $push: { feedback: note }, $set: { ...bounced, updatedAt: now() } },
  );
}

/** Removes addresses and links, which a server may quote. */
function shorten(detail: string): string {
  const line = detail
    .replace(/\b[a-z][a-z+.-]*:\/\/\S+/gi, '(link)')
    .replace(/\S+@\S+/g, '(address)')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return cutText(line, maxDetailLength);
}
