import { z } from 'zod';
import { customerErasureInput, customerErasureOutput } from '../../lib/contract/customer-erasure.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { organizationId } from '../../lib/contract/input.ts';
import { day, fromNow, now } from '../../lib/data/clock.ts';
import { deleteInBatches, removeAcrossTenants } from '../../lib/data/collection.ts';
import { storedEmailsOf } from '../../lib/format/email-address.ts';
import { settings } from '../../lib/settings/settings.ts';
import { removeEnded } from '../../messaging/delivery/documents.ts';
import { eraseTemplates, sweepTemplates } from '../../messaging/templates/documents.ts';
import { MessageModel, type MessageStatus } from '../../models/mail/message.ts';
import { RecipientCountModel } from '../../models/mail/recipient-count.ts';
import { SenderSettingsModel } from '../../models/mail/sender-settings.ts';
import { SuppressionModel } from '../../models/mail/suppression.ts';
import { mailTemplates } from './templates/kind.ts';

const finalStatuses: MessageStatus[] = ['sent', 'failed', 'suppressed', 'bounced'];
/** The maximum per call, which bounds its duration. */
const maxErased = 5000;

/** Deletes finished messages and deleted templates whose retention period is over. */
export async function sweepMessages(signal: AbortSignal): Promise<void> {
  const kept = settings.MAIL_KEPT_DAYS * day;
  await removeEnded(MessageModel, finalStatuses, fromNow(-kept), signal);
  await sweepTemplates(mailTemplates, kept);
  await removeAcrossTenants(RecipientCountModel, { expiresAt: { $lte: now() } }, signal);
}

/**
 * `mail.organizations.erase`, for the deletion of an organization: deletes all its data in this service. Repeatable.
 */
export const eraseOrganization = defineAction({
  summary: "Remove an organization's mail",
  permission: 'internal',
  input: { body: z.strictObject({ orgId: organizationId }) },
  output: z.strictObject({ isComplete: z.boolean() }),
  async handler({ body: { orgId } }) {
    let removed = await deleteInBatches(MessageModel, { orgId }, maxErased);
    removed += await eraseTemplates(mailTemplates, orgId, maxErased - removed);
    removed += await deleteInBatches(SuppressionModel, { orgId }, maxErased - removed);
    await SenderSettingsModel.deleteMany({ orgId });
    return { isComplete: removed < maxErased };
  },
});

/**
 * `mail.customers.erase`, for the erasure of a customer: deletes the organization's messages to their addresses, sent
 * or not. `erased`: whether there were any. Suppressions stay, because the person asked for them.
 */
export const eraseCustomer = defineAction({
  summary: 'Remove the mail to a customer',
  permission: 'internal',
  input: customerErasureInput,
  output: customerErasureOutput,
  async handler({ body: { orgId, identifiers } }) {
    // Identifiers of other kinds than `email:…` match no mail.
    const recipient = { $in: storedEmailsOf(identifiers) };
    const removed = await deleteInBatches(MessageModel, { orgId, recipient }, maxErased);
    return { isComplete: removed < maxErased, erased: removed > 0 };
  },
});
