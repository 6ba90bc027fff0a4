import { concurrently } from '../../../lib/concurrency/concurrently.ts';
import { createKeyedMutex } from '../../../lib/concurrency/keyed-mutex.ts';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { type CustomerDocument, CustomerModel } from '../../../models/context/customer.ts';
import type { EventDocument } from '../../../models/context/event.ts';
import { type IdentifierDocument, IdentifierModel, identifierDocumentId } from '../../../models/context/identifier.ts';
import { createCustomers, findCustomer } from '../customers.ts';
import { isUsable } from './progress.ts';

/** Events by the internal id of their customer. */
export type Groups = Map<string, EventDocument[]>;

/** Events that an identifier connects, directly or through others, and all their identifiers. */
type Cluster = { keys: Set<string>; events: EventDocument[] };

const clusterConcurrency = 8;

/** Marks a customer that was merged or is being erased: `findCustomer` resolves it. */
const unsettled = '';

/** Finds the customer of each event, creates unknown customers, and merges the customers that an event joins. */
export async function groupByCustomer(orgId: string, events: EventDocument[]): Promise<Groups> {
  const known = await findKnown(orgId, events);
  const groups: Groups = new Map();
  const open: EventDocument[] = [];
  for (const event of events) {
    const customer = customerAmong(known, event);
    if (customer) addTo(groups, customer, event);
    else open.push(event);
  }
  await groupOpen(orgId, open, known, groups);
  return groups;
}

/** The customers whom all identifiers of an event name already, by the event. */
export async function findKnownCustomers(orgId: string, events: EventDocument[]): Promise<Map<string, string>> {
  const known = await findKnown(orgId, events);
  const customers = new Map<string, string>();
  for (const event of events) {
    const customer = customerAmong(known, event);
    if (customer) customers.set(event._id, customer);
  }
  return customers;
}

function customerAmong(known: Map<string, string>, { identifiers }: EventDocument): string | undefined {
  const [customer, ...others] = new Set(identifiers.map((key) => known.get(key)));
  return others.length === 0 && customer !== unsettled ? customer : undefined;
}

/** The customers that the events' identifiers name already. Most events are about a customer known by all of them. */
async function findKnown(orgId: string, events: EventDocument[]): Promise<Map<string, string>> {
  const ids = new Set(events.flatMap((event) => event.identifiers).map((key) => identifierDocumentId(orgId, key)));
  if (ids.size === 0) return new Map();
  const identifiers = nativeCollection<IdentifierDocument>(IdentifierModel);
  const pointers = await identifiers
    .find({ orgId, _id: { $in: [...ids] } }, { projection: { key: 1, customer: 1 } })
    .toArray();
  if (pointers.length === 0) return new Map();
  const customers = [...new Set(pointers.map(({ customer }) => customer))];
  const found = await nativeCollection<CustomerDocument>(CustomerModel)
    .find({ orgId, _id: { $in: customers } }, { projection: { mergedInto: 1, erasing: 1 } })
    .toArray();
  const usable = new Set(found.filter(isUsable).map(({ _id }) => _id));
  return new Map(pointers.map(({ key, customer }) => [key, usable.has(customer) ? customer : unsettled]));
}

async function groupOpen(orgId: string, events: EventDocument[], known: Map<string, string>, groups: Groups) {
  const clusters = connected(events);
  const strangers = clusters.filter(({ keys }) => ![...keys].some((key) => known.has(key)));
  const created = await createCustomers(
    orgId,
    strangers.map(({ keys }) => [...keys]),
  );
  await concurrently(clusters, clusterConcurrency, async (cluster) => {
    const stranger = created[strangers.indexOf(cluster)];
    for (const event of cluster.events) {
      addTo(groups, stranger ?? (await findCustomer(orgId, event.identifiers)), event);
    }
  });
}

function addTo(groups: Groups, customer: string, event: EventDocument): void {
  const theirs = groups.get(customer);
  if (theirs) theirs.push(event);
  else groups.set(customer, [event]);
}

function connected(events: EventDocument[]): Cluster[] {
  const clusters = new Set<Cluster>();
  const byKey = new Map<string, Cluster>();
  for (const event of events) {
    const [into = { keys: new Set<string>(), events: [] }, ...others] = new Set<Cluster>(
      event.identifiers.map((key) => byKey.get(key)).filter((cluster) => cluster !== undefined),
    );
    clusters.add(into);
    const keys = [...event.identifiers, ...others.flatMap((other) => [...other.keys])];
    for (const key of keys) {
      into.keys.add(key);
      byKey.set(key, into);
    }
    for (const other of others) {
      clusters.delete(other);
      into.events.push(...other.events);
    }
    into.events.push(event);
  }
  return [...clusters];
}

const turns = createKeyedMutex();
const nameOf = (orgId: string, identifier: string): string => `${orgId}:${identifier}`;

/** Whether work that concerns one of the identifiers is running or queued. */
export function isBusy(orgId: string, identifiers: string[]): boolean {
  return identifiers.some((key) => turns.isBusy(nameOf(orgId, key)));
}

/**
 * Serializes work of this process that shares an identifier, so that a read and the composer do not fold the same
 * events twice. Other work runs concurrently.
 */
export function runInTurns<T>(orgId: string, identifiers: string[], work: () => Promise<T>): Promise<T> {
  return turns(
    identifiers.map((key) => nameOf(orgId, key)),
    work,
  );
}
