import { z } from 'zod';
import { customerErasureInput, customerErasureOutput } from '../../lib/contract/customer-erasure.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { organizationId } from '../../lib/contract/input.ts';
import { day, fromNow } from '../../lib/data/clock.ts';
import { deleteInBatches } from '../../lib/data/collection.ts';
import { settings } from '../../lib/settings/settings.ts';
import { removeEnded } from '../../messaging/delivery/documents.ts';
import { eraseTemplates, sweepTemplates } from '../../messaging/templates/documents.ts';
import { ConnectionModel } from '../../models/notification/connection.ts';
import { PaceModel } from '../../models/notification/connection-pace.ts';
import { NotificationModel } from '../../models/notification/notification.ts';
import { keysOfIdentifier } from './sending/recipients.ts';
import { templateKind } from './templates/templates.ts';

/**
 * Deletes ended notifications after the retention period, and deleted templates once no notification references them.
 */
export async function sweepEnded(signal: AbortSignal): Promise<void> {
  const kept = settings.MAIL_KEPT_DAYS * day;
  await removeEnded(NotificationModel, ['sent', 'failed'], fromNow(-kept), signal);
  await sweepTemplates(templateKind, kept);
}

const maxPerCall = 5000;
const output = z.strictObject({ isComplete: z.boolean() });

/**
 * `notification.organizations.erase`, for the deletion of an organization: removes its connections with their credentials
 * first, then its notifications and templates. Idempotent; call it until it is complete.
 */
export const eraseOrganization = defineAction({
  summary: "Remove an organization's channel connections, notifications and templates",
  permission: 'internal',
  input: { body: z.strictObject({ orgId: organizationId }) },
  output,
  async handler({ body: { orgId } }) {
    let allowance = maxPerCall;
    for (const model of [ConnectionModel, PaceModel, NotificationModel]) {
      allowance -= await deleteInBatches(model, { orgId }, allowance);
      if (allowance <= 0) return { isComplete: false };
    }
    return { isComplete: (await eraseTemplates(templateKind, orgId, allowance)) < allowance };
  },
});

/**
 * `notification.customers.erase`, for the erasure of a customer: removes the notifications to them, sent or not. `erased`:
 * whether this call found any.
 */
export const eraseCustomer = defineAction({
  summary: 'Remove the notifications to a customer',
  permission: 'internal',
  input: customerErasureInput,
  output: customerErasureOutput,
  async handler({ body: { orgId, identifiers } }) {
    const recipients = { $in: [...new Set(identifiers.flatMap(keysOfIdentifier))] };
    const removed = await deleteInBatches(NotificationModel, { orgId, recipients }, maxPerCall);
    return { isComplete: removed < maxPerCall, erased: removed > 0 };
  },
});
