import { createBatcher } from '../../lib/concurrency/batcher.ts';
import { nativeCollection } from '../../lib/data/collection.ts';
import { type CustomerDocument, CustomerModel } from '../../models/context/customer.ts';
import { type IdentifierDocument, IdentifierModel, identifierDocumentId } from '../../models/context/identifier.ts';
import { deriveCustomerId } from './compose/progress.ts';
import { parseIdentifierKey } from './story/identifiers.ts';

const maxBatchSize = 100;

/**
 * The id by which the story of an event's customer can be read; null for an event without a customer. It is the id that
 * the event has for the customer. An event that has only an email address or a phone number gets the id of the story
 * that they belong to; the first event of such a customer gets the id that is derived from it.
 */
export async function customerIdFor(orgId: string, identifiers: string[]): Promise<string | null> {
  const [first] = identifiers;
  if (first === undefined) return null;
  return ownIdOf(identifiers) ?? (await findByContacts(orgId, identifiers)) ?? deriveCustomerId(orgId, first);
}

/** The sender's id among the identifiers of an event. */
function ownIdOf(identifiers: string[]): string | undefined {
  return identifiers.map(parseIdentifierKey).find((identifier) => identifier?.type === 'id')?.value;
}

/** The id of the story that identifiers lead to; concurrent calls share the queries. */
const findByContacts = createBatcher(maxBatchSize, async (events: string[][], orgId: string) => {
  const _id = { $in: [...new Set(events.flat())].map((key) => identifierDocumentId(orgId, key)) };
  const pointers = await nativeCollection<IdentifierDocument>(IdentifierModel).find({ orgId, _id }).toArray();
  const customers = await nativeCollection<CustomerDocument>(CustomerModel)
    .find(
      { orgId, _id: { $in: pointers.map(({ customer }) => customer) } },
      { projection: { 'listing.customerId': 1 } },
    )
    .toArray();
  const idOf = new Map(customers.map(({ _id: customer, listing }) => [customer, listing?.customerId]));
  const byKey = new Map(pointers.map(({ key, customer }) => [key, idOf.get(customer)]));
  return events.map((keys) => keys.map((key) => byKey.get(key)).find((id) => id !== undefined));
});
