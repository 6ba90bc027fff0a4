import { z } from 'zod';
import type { BrokerContext } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { deleteInBatches } from '../../lib/data/collection.ts';
import { ErasureRecordModel } from '../../lib/data/erasure-records.ts';
import { idPattern } from '../../lib/data/ids.ts';
import { settings } from '../../lib/settings/settings.ts';
import { CustomerModel } from '../../models/context/customer.ts';
import { CustomerErasureModel } from '../../models/context/customer-erasure.ts';
import { CustomerMergeModel } from '../../models/context/customer-merge.ts';
import { EventModel } from '../../models/context/event.ts';
import { IdentifierModel } from '../../models/context/identifier.ts';
import { PendingEventModel } from '../../models/context/pending-event.ts';
import { RefusedEventModel } from '../../models/context/refused-event.ts';
import { RetentionModel } from '../../models/context/retention.ts';
import { beginErasure, eraseElsewhere, runErasure } from './customer-erasures.ts';
import { customerPath, exampleStory, findSettledCustomer } from './stories.ts';
import { type Identifier, identifierKey, lookupIdentifiers } from './story/identifiers.ts';

/**
 * DELETE /v1/story/customers/:customerId: erases a person, here and in the services that declare it; only the ids of
 * the events stay, for 30 days. In place of the id, the path may name an email address or a telephone number, by which
 * a person without an id is known.
 */
export const eraseCustomer = defineAction({
  rest: 'DELETE /v1/story/customers/:customerId',
  summary: 'Erase a customer: story, events and identifiers',
  description:
    'Erases a person: their story, events and identifiers, their mail, notifications and conversations. In place ' +
    'of the id, the path can be an email address or a phone number of a person without an id. Only the ids of the ' +
    'events stay, for 30 days, so that a late repetition is not accepted again. This cannot be undone.',
  permission: 'context.events.write',
  tenant: 'required',
  input: { path: customerPath },
  output: z.void(),
  errors: ['STORY_NOT_FOUND'],
  example: { path: { customerId: exampleStory.customerId } },
  async handler({ path, caller: { orgId }, ctx }) {
    const identifiers = lookupIdentifiers(path.customerId, settings.DEFAULT_COUNTRY);
    const customer = await findUnlessElsewhere(ctx, orgId, identifiers);
    if (customer !== null) await runErasure(ctx, await beginErasure(orgId, customer));
  },
});

/**
 * The customer with the id, or else with the email address or telephone number; null for a person without a story who
 * was known to other services, and is erased there.
 */
async function findUnlessElsewhere(
  ctx: BrokerContext,
  orgId: string,
  identifiers: Identifier[],
): Promise<string | null> {
  for (const identifier of identifiers) {
    const customer = await findSettledCustomer(orgId, identifier);
    if (customer !== null) return customer;
  }
  if (await eraseElsewhere(ctx, orgId, identifiers.map(identifierKey))) return null;
  throw apiError('STORY_NOT_FOUND');
}

/** The maximum number of documents that one call removes. */
const maxPerCall = 10_000;

/**
 * `context.organizations.erase`, for the deletion of an organization: removes its events, their work items, its
 * refused events, customers, identifiers, retention record, unfinished merges and records of erased customers. Works in batches: call it
 * until `isComplete`. Idempotent.
 */
export const eraseOrganization = defineAction({
  summary: "Remove an organization's events and stories",
  permission: 'internal',
  input: { body: z.strictObject({ orgId: z.string().regex(idPattern('org')) }) },
  output: z.strictObject({ isComplete: z.boolean() }),
  async handler({ body: { orgId } }) {
    // The events first: as long as there are some, customers and identifiers are created from them again.
    let allowance = maxPerCall;
    for (const model of [EventModel, PendingEventModel, RefusedEventModel, CustomerModel, IdentifierModel]) {
      allowance -= await deleteInBatches(model, { orgId }, allowance);
      if (allowance <= 0) return { isComplete: false };
    }
    allowance -= await deleteInBatches(ErasureRecordModel, { orgId, kind: 'customer' }, allowance);
    if (allowance <= 0) return { isComplete: false };
    await RetentionModel.deleteOne({ _id: orgId, orgId });
    await CustomerErasureModel.deleteMany({ orgId });
    await CustomerMergeModel.deleteMany({ orgId });
    // Requests in flight may have stored more since.
    const remaining = await Promise.all([EventModel.exists({ orgId }), PendingEventModel.exists({ orgId })]);
    return { isComplete: remaining.every((one) => one === null) };
  },
});
