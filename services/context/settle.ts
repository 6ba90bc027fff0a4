import { concurrently } from '../../lib/concurrently.ts';
import { CustomerModel } from '../../models/context/customer.ts';
import { type EventDocument, EventModel } from '../../models/context/event.ts';
import { IdentifierModel, identifierDocumentId } from '../../models/context/identifier.ts';
import { composeStory } from './compose.ts';
import { findCustomer, findRoot, removeIfUnused } from './customers.ts';
import { toStub } from './erasure.ts';

/** Customers worked on at once: their writes then share the database's commits instead of waiting for one another. */
const customersAtOnce = 32;

/**
 * Brings pending events of one organization into their customers' stories: finds whom each is about, assigns it,
 * composes the story, and only then takes the event off the pending list. Whatever is interrupted is still pending
 * and is done again; doing it twice, or by two workers at once, changes nothing.
 */
export async function settleEvents(orgId: string, events: EventDocument[]): Promise<void> {
  const groups = await groupByCustomer(orgId, events);
  await concurrently(groups, customersAtOnce, ([customer, theirs]) => tell(orgId, customer, theirs));
  await takeOffPending(orgId, events);
}

type Groups = Map<string, EventDocument[]>;

async function groupByCustomer(orgId: string, events: EventDocument[]): Promise<Groups> {
  const known = await findKnown(orgId, events);
  const groups: Groups = new Map();
  const open: EventDocument[] = [];
  for (const event of events) {
    const [customer, ...others] = new Set(event.identifiers.map((key) => known.get(key)));
    if (customer && others.length === 0) addTo(groups, customer, event);
    else open.push(event);
  }
  // Those who share an identifier come one after another, so that the second finds whom the first one made.
  await concurrently(connected(open), customersAtOnce, async (cluster) => {
    for (const event of cluster) addTo(groups, await findCustomer(orgId, event.identifiers), event);
  });
  return groups;
}

function addTo(groups: Groups, customer: string, event: EventDocument): void {
  const theirs = groups.get(customer);
  if (theirs) theirs.push(event);
  else groups.set(customer, [event]);
}

/** The events in groups that no identifier connects. */
function connected(events: EventDocument[]): EventDocument[][] {
  let clusters: { keys: Set<string>; events: EventDocument[] }[] = [];
  for (const event of events) {
    const joined = clusters.filter(({ keys }) => event.identifiers.some((key) => keys.has(key)));
    const keys = new Set([...joined.flatMap((cluster) => [...cluster.keys]), ...event.identifiers]);
    const whole = { keys, events: [...joined.flatMap((cluster) => cluster.events), event] };
    clusters = [...clusters.filter((cluster) => !joined.includes(cluster)), whole];
  }
  return clusters.map((cluster) => cluster.events);
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

/** Assigns the events to their customer and tells the story with them; again from what is true now if that changed. */
async function tell(orgId: string, found: string, events: EventDocument[]): Promise<void> {
  const pending = { orgId, _id: { $in: idsOf(events) }, pending: true };
  for (let customer = found; ; customer = await findRoot(orgId, customer)) {
    const { matchedCount } = await EventModel.updateMany(pending, { $set: { customer } });
    // Erased or settled by another worker meanwhile.
    if (matchedCount === 0) return removeIfUnused(orgId, customer);
    // What is no longer there, or another worker's by now, must not be told from memory.
    const added = matchedCount === events.length ? events : undefined;
    if (await composeStory(orgId, customer, added)) return;
    // The customer was merged or erased while the events were assigned: the identifiers know better now.
    if (!(await CustomerModel.findOne({ orgId, _id: customer }, { _id: 1 }).lean())) return settleEvents(orgId, events);
  }
}

async function takeOffPending(orgId: string, events: EventDocument[]): Promise<void> {
  const expired = events.filter((event) => event.expired);
  const settled = { pending: false, leaseOwner: null, leaseUntil: null };
  const pending = { orgId, pending: true };
  // One that expired since it was read is told once more, without it.
  await EventModel.updateMany({ ...pending, _id: { $in: idsOf(events) }, expired: { $ne: true } }, { $set: settled });
  if (expired.length > 0)
    await EventModel.updateMany({ ...pending, _id: { $in: idsOf(expired) }, expired: true }, toStub());
}

const idsOf = (events: EventDocument[]): string[] => events.map(({ _id }) => _id);
