import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { idPattern } from '../../../lib/ids.ts';
import { deleteInBatches } from '../../../lib/remove-up-to.ts';
import { eraseTemplates } from '../../../messaging/templates/cleanup.ts';
import { ConnectionModel } from '../../../models/notification/connection.ts';
import { PaceModel } from '../../../models/notification/connection-pace.ts';
import { NotificationModel } from '../../../models/notification/notification.ts';
import { keysOfIdentifier } from '../sending/recipient.ts';
import { templateKind } from '../templates/kind.ts';

const maxPerCall = 5000;
const org = z.string().regex(idPattern('org'));
const output = z.strictObject({ isComplete: z.boolean() });

/**
 * `notification.organizations.erase`, for the deletion of an organization: removes its connections with their credentials
 * first, then its notifications and templates. Idempotent; call it until it is complete.
 */
export const eraseOrganization = defineAction({
  summary: "Remove an organization's channel connections, notifications and templates",
  permission: 'internal',
  input: { body: z.strictObject({ orgId: org }) },
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
  input: { body: z.strictObject({ orgId: org, identifiers: z.array(z.string()).min(1).max(1000) }) },
  output: output.extend({ erased: z.boolean() }),
  async handler({ body: { orgId, identifiers } }) {
    const recipients = { $in: [...new Set(identifiers.flatMap(keysOfIdentifier))] };
    const removed = await deleteInBatches(NotificationModel, { orgId, recipients }, maxPerCall);
    return { isComplete: removed < maxPerCall, erased: removed > 0 };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'notification.organizations.erase': typeof eraseOrganization;
    'notification.customers.erase': typeof eraseCustomer;
  }
}
