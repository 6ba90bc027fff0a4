import { CustomerModel } from '../../models/context/customer.ts';
import { type EventDocument, EventModel } from '../../models/context/event.ts';
import { IdentifierModel, identifierDocumentId } from '../../models/context/identifier.ts';
import { composeStory } from './compose.ts';
import { findCustomer, findRoot, removeIfUnused } from './customers.ts';
import { toStub } from './erasure.ts';

/**
 * Brings pending events of one organization into their customers' stories: finds whom each is about, assigns it,
 * composes the story, and only then takes the event off the pending list. Whatever is interrupted is still pending
 * and is done again; doing it twice, or by two workers at once, changes nothing.
 */
export async function settleEvents(orgId: string, events: EventDocument[]): Promise<void> {
  for (const [customer, theirs] of await groupByCustomer(orgId, events)) await settleFor(orgId, customer, theirs);
}

async function groupByCustomer(orgId: string, events: EventDocument[]): Promise<Map<string, EventDocument[]>> {
  const found = await findKnown(orgId, events);
  const groups = new Map<string, EventDocument[]>();
  for (const event of events) {
    const customers = new Set(event.identifiers.map((key) => found.get(key)));
    const [only] = customers;
    const customer = customers.size === 1 && only ? only : await findCustomer(orgId, event.identifiers);
    for (const key of event.identifiers) found.set(key, customer);
    groups.set(customer, [...(groups.get(customer) ?? []), event]);
  }
  return groups;
}

/** Whom the events' identifiers name already; most events are about somebody known by all of them. */
async function findKnown(orgId: string, events: EventDocument[]): Promise<Map<string, string>> {
  const ids = new Set(events.flatMap((event) => event.identifiers).map((key) => identifierDocumentId(orgId, key)));
  const pointers = await IdentifierModel.find({ orgId, _id: { $in: [...ids] } }).lean();
  const customers = [...new Set(pointers.map(({ customer }) => customer))];
  const gone = await CustomerModel.find({ orgId, _id: { $in: customers } }, { mergedInto: 1, erasing: 1 }).lean();
  const usable = new Set(gone.filter(({ mergedInto, erasing }) => !mergedInto && !erasing).map(({ _id }) => _id));
  return new Map(pointers.filter(({ customer }) => usable.has(customer)).map(({ key, customer }) => [key, customer]));
}

async function settleFor(orgId: string, found: string, events: EventDocument[]): Promise<void> {
  const ids = events.map(({ _id }) => _id);
  const pending = { orgId, _id: { $in: ids }, pending: true };
  for (let customer = found; ; customer = await findRoot(orgId, customer)) {
    const { matchedCount } = await EventModel.updateMany(pending, { $set: { customer } });
    // Erased or settled by another worker meanwhile.
    if (matchedCount === 0) return removeIfUnused(orgId, customer);
    const composed = await composeStory(orgId, customer, events);
    if (composed) break;
    // The customer was merged or erased while the events were assigned: the identifiers know better now.
    if (!(await CustomerModel.findOne({ orgId, _id: customer }, { _id: 1 }).lean())) return settleEvents(orgId, events);
  }
  const settled = { pending: false, leaseOwner: null, leaseUntil: null };
  await EventModel.updateMany({ ...pending, expired: { $ne: true } }, { $set: settled });
  if (events.some(({ expired }) => expired)) await EventModel.updateMany({ ...pending, expired: true }, toStub());
}
