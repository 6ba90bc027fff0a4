import { z } from 'zod';
import { defineAction } from '../../lib/action.ts';
import { ErasureRecordModel } from '../../lib/erasure-records.ts';
import { idPattern } from '../../lib/ids.ts';
import { deleteInBatches } from '../../lib/remove-up-to.ts';
import { CustomerModel } from '../../models/context/customer.ts';
import { CustomerErasureModel } from '../../models/context/customer-erasure.ts';
import { EventModel } from '../../models/context/event.ts';
import { IdentifierModel } from '../../models/context/identifier.ts';
import { PendingEventModel } from '../../models/context/pending-event.ts';
import { RetentionModel } from '../../models/context/retention.ts';

/** The maximum number of documents that one call removes. */
const maxPerCall = 10_000;

/**
 * `context.organizations.erase`, for the deletion of an organization: removes its events, their work items, its
 * customers, identifiers, retention record and records of erased customers. Works in batches: call it until
 * `isComplete`. Idempotent.
 */
export const eraseOrganization = defineAction({
  summary: "Remove an organization's events and stories",
  permission: 'internal',
  input: { body: z.strictObject({ orgId: z.string().regex(idPattern('org')) }) },
  output: z.strictObject({ isComplete: z.boolean() }),
  async handler({ body: { orgId } }) {
    // The events first: as long as there are some, customers and identifiers are created from them again.
    let allowance = maxPerCall;
    for (const model of [EventModel, PendingEventModel, CustomerModel, IdentifierModel]) {
      allowance -= await deleteInBatches(model, { orgId }, allowance);
      if (allowance <= 0) return { isComplete: false };
    }
    allowance -= await deleteInBatches(ErasureRecordModel, { orgId, kind: 'customer' }, allowance);
    if (allowance <= 0) return { isComplete: false };
    await RetentionModel.deleteOne({ _id: orgId, orgId });
    await CustomerErasureModel.deleteMany({ orgId });
    // Requests in flight may have stored more since.
    const remaining = await Promise.all([EventModel.exists({ orgId }), PendingEventModel.exists({ orgId })]);
    return { isComplete: remaining.every((one) => one === null) };
  },
});

declare module '../../lib/calls.ts' {
  interface Calls {
    'context.organizations.erase': typeof eraseOrganization;
  }
}
