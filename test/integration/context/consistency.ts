import { fromNow, second } from '../../../lib/data/clock.ts';
import { CustomerModel } from '../../../models/context/customer.ts';
import { type EventDocument, EventModel } from '../../../models/context/event.ts';
import { IdentifierModel } from '../../../models/context/identifier.ts';
import { PendingEventModel } from '../../../models/context/pending-event.ts';
import { processDueBatches } from '../../../services/context/compose/composer.ts';
import { storedFold, storedListing, toStoredEvent, toStory } from '../../../services/context/compose/progress.ts';
import { composeStory } from '../../../services/context/story/story.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { until } from '../../support/until.ts';

/** Composes until nothing is due, now or within a second: work that came before its event is tried again so soon. */
export async function composeAll(): Promise<void> {
  await until(async () => {
    while (await processDueBatches(quietLogger)) {
      // Each round takes what is due; the next looks for more.
    }
    const soon = { nextAttemptAt: { $lte: fromNow(second) } };
    return (await PendingEventModel.findOne(soon, { _id: 1 }, { acrossTenants: true })) === null;
  });
}

/**
 * What is wrong with what the context service has stored of an organization, a sentence each: every event that is kept belongs to a
 * living customer whom all its identifiers lead to, and whose story tells exactly the events that belong to them.
 */
export async function findInconsistencies(orgId: string): Promise<string[]> {
  const problems: string[] = [];
  const [events, pending, pointers, customers] = await Promise.all([
    EventModel.find({ orgId }).lean<EventDocument[]>(),
    PendingEventModel.find({ orgId }).lean(),
    IdentifierModel.find({ orgId }).lean(),
    CustomerModel.find({ orgId }).lean(),
  ]);
  for (const { _id, mergedInto, listing } of customers) {
    if (mergedInto && listing) problems.push(`${_id} was merged and is in the list of customers`);
  }
  const living = new Map(customers.filter(({ mergedInto }) => !mergedInto).map((customer) => [customer._id, customer]));
  const ownerOf = new Map(pointers.map(({ _id, customer }) => [_id, customer]));

  for (const { _id, customer } of pointers) {
    if (!living.has(customer)) problems.push(`${_id} leads to ${customer}, who does not live`);
  }
  for (const { event } of pending) problems.push(`${event} is still pending`);
  for (const { _id, customer, identifiers, stubUntil } of events) {
    if (stubUntil || identifiers.length === 0) continue;
    if (!customer || !living.has(customer)) problems.push(`${_id} belongs to ${customer}, who does not live`);
    for (const key of identifiers) {
      const owner = ownerOf.get(`${orgId}:${key}`);
      if (owner !== customer) problems.push(`${_id} belongs to ${customer}, but ${key} leads to ${owner}`);
    }
  }
  for (const customer of living.values()) {
    if (!pointers.some((pointer) => pointer.customer === customer._id))
      problems.push(`Nothing leads to ${customer._id}`);
    if (customer.erasing) problems.push(`${customer._id} is half erased`);
    const theirs = events.filter((event) => event.customer === customer._id);
    if (theirs.length === 0) problems.push(`${customer._id} has no event`);
    const story = toStory(customer.orgId, storedFold(customer), 'en');
    const told = composeStory(story?.customerId ?? '', theirs.map(toStoredEvent));
    const { customerId: _customerId, ...stored } = story ?? { customerId: '' };
    const { title, summary, updatedAt } = told ?? {};
    if (customer.composeAt) problems.push(`The story of ${customer._id} is not current`);
    if (JSON.stringify(customer.listing) !== JSON.stringify(storedListing(customer))) {
      problems.push(`The list of customers shows ${customer._id} otherwise than the story`);
    }
    if (JSON.stringify(stored) !== JSON.stringify({ title, summary, updatedAt })) {
      problems.push(`The story of ${customer._id} is not that of their ${theirs.length} events`);
    }
  }
  return problems;
}
