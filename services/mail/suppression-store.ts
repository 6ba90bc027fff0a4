import { createFindBatcher } from '../../lib/data/batched-access.ts';
import { now } from '../../lib/data/clock.ts';
import { insertIfAbsent } from '../../lib/data/collection.ts';
import { newId } from '../../lib/data/ids.ts';
import { normalizeEmail, storedEmails } from '../../lib/format/email-address.ts';
import { type Category, categories } from '../../messaging/templates/content.ts';
import { isSystemMail, type MessageDocument, MessageModel, notificationKeys } from '../../models/mail/message.ts';
import { type SuppressionDocument, SuppressionModel, type SuppressionReason } from '../../models/mail/suppression.ts';

const findByAddress = createFindBatcher<SuppressionDocument>(SuppressionModel, 'address', ['reason']);

/** Why an organization sends no mail to an address; null if not suppressed. Never cached. */
export async function suppressionOf(orgId: string, address: string): Promise<SuppressionReason | null> {
  const found = await Promise.all(storedEmails(address).map((form) => findByAddress(orgId, form)));
  const reasons = found.flatMap((suppression) => suppression?.reason ?? []);
  return reasons.find((reason) => reason !== 'unsubscribed') ?? reasons[0] ?? null;
}

/** Whether a suppression applies to mail of a category: unsubscribing applies to marketing only. */
export function concerns(reason: SuppressionReason | null, category: Category): boolean {
  return reason !== null && (category === 'marketing' || reason !== 'unsubscribed');
}

/** Whether an address is suppressed for mail of a category. */
export async function isSuppressed(orgId: string, address: string, category: Category): Promise<boolean> {
  return concerns(await suppressionOf(orgId, address), category);
}

type New = { orgId: string; address: string; reason: SuppressionReason; messageId?: string; id?: string };

/**
 * Suppresses an address and its queued mail. A bounce or a complaint replaces the reason `unsubscribed`; otherwise the
 * first reason stays. Idempotent.
 */
export async function suppress(suppression: New): Promise<void> {
  await store(suppression);
  await suppressQueued(suppression);
}

/**
 * Suppresses the recipient of a mail that bounced or was complained about. The platform's own mail is requested by its
 * recipient and is never suppressed.
 */
export async function suppressAfter(message: MessageDocument, reason: 'bounced' | 'complained'): Promise<void> {
  const { orgId, _id: messageId, to: address } = message;
  if (!isSystemMail(message)) await suppress({ orgId, address, reason, messageId });
}

/** Takes back the unsubscription of an address. Another reason stays. Idempotent. */
export async function resubscribe(orgId: string, address: string): Promise<void> {
  await SuppressionModel.deleteMany({ orgId, address: { $in: storedEmails(address) }, reason: 'unsubscribed' });
}

async function store({ orgId, address, reason, messageId, id }: New): Promise<void> {
  const named = { orgId, address: normalizeEmail(address) };
  const document = { _id: id ?? newId('sup'), ...named, reason, messageId: messageId ?? null, createdAt: now() };
  if (await insertIfAbsent<SuppressionDocument>(SuppressionModel, document)) return;
  if (reason === 'unsubscribed') return;
  await SuppressionModel.updateOne(
    { ...named, reason: 'unsubscribed' },
    { $set: { reason, messageId: document.messageId } },
  );
}

/**
 * Suppresses queued mail to the address; the sweep refunds its units (a notification used none). Mail that a node has
 * already claimed may still be sent. The platform's own mail matches neither update.
 */
async function suppressQueued({ orgId, address, reason }: New): Promise<void> {
  const waiting = {
    orgId,
    recipient: { $in: storedEmails(address) },
    status: { $in: ['queued' as const, 'waiting' as const] },
    category: { $in: categories.filter((category) => concerns(reason, category)) },
  };
  const suppressed = { status: 'suppressed' as const, sealedBody: null, updatedAt: now() };
  await MessageModel.updateMany(
    { ...waiting, templateId: { $ne: null } },
    { $set: { ...suppressed, refundDue: true } },
  );
  await MessageModel.updateMany({ ...waiting, key: notificationKeys }, { $set: suppressed });
}
