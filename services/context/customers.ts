import { leaseNow } from '../../lib/data/clock.ts';
import { insertManyUnordered, maxBatchSize, nativeCollection } from '../../lib/data/collection.ts';
import { newId } from '../../lib/data/ids.ts';
import { type CustomerDocument, CustomerModel } from '../../models/context/customer.ts';
import { EventModel } from '../../models/context/event.ts';
import { type IdentifierDocument, IdentifierModel, identifierDocumentId } from '../../models/context/identifier.ts';
import { discardedWithCustomer, discardedWithFold } from './compose/progress.ts';
import { completeErasure, nothingComposed } from './erasure.ts';
import { insertPending, newPendingEvent, workFields } from './ingest/pending-events.ts';

/**
 * Finds the customer that identifiers name, creates one if there is none, and merges several: the oldest survives.
 *
 * Every step is a single atomic operation and may be repeated, so that concurrent workers, or a restart after a crash,
 * reach the same result. A merge goes from the younger id to the older, so merges never form a circle.
 */
export async function findCustomer(orgId: string, keys: string[]): Promise<string> {
  for (;;) {
    const pointers = await findPointers(orgId, keys);
    const roots = await findRoots(orgId, new Set(pointers.map(({ customer }) => customer)));
    if (!roots) continue;
    const survivor = oldestOf(roots) ?? (await createCustomer(orgId));
    if (await mergeOthers(orgId, roots, survivor)) continue;
    const linked = new Set(pointers.map(({ key }) => key));
    const missing = keys.filter((key) => !linked.has(key));
    if (await claimIdentifiers(orgId, missing, survivor)) return survivor;
    if (roots.size === 0) await removeUnlessNamed(orgId, survivor);
  }
}

/**
 * Merges the customers whom identifiers name, as {@link findCustomer} does, but claims no identifier: one whose customer
 * was erased since it was read must not become an identifier of the other.
 *
 * @returns the survivor; null when one of the identifiers names no customer.
 */
export async function joinCustomers(orgId: string, keys: string[]): Promise<string | null> {
  for (;;) {
    const pointers = await findPointers(orgId, keys);
    if (pointers.length < keys.length) return null;
    const roots = await findRoots(orgId, new Set(pointers.map(({ customer }) => customer)));
    if (!roots) continue;
    const survivor = oldestOf(roots);
    if (survivor === undefined) return null;
    if (!(await mergeOthers(orgId, roots, survivor))) return survivor;
  }
}

function findPointers(orgId: string, keys: string[]): Promise<IdentifierDocument[]> {
  return IdentifierModel.find({ orgId, _id: { $in: documentIds(orgId, keys) } })
    .lean<IdentifierDocument[]>()
    .exec();
}

/** The oldest root; undefined without any. Ids of customers sort by time. */
const oldestOf = (roots: Map<string, string>): string | undefined => [...roots.values()].sort()[0];

/**
 * Merges all customers into the survivor. Returns whether there were others: the survivor may have been merged or
 * erased since it was read, so the caller repeats until there is nothing to merge.
 */
async function mergeOthers(orgId: string, roots: Map<string, string>, survivor: string): Promise<boolean> {
  // A pointer that is not at its root was left by an interrupted merge.
  const others = [...new Set([...roots.keys(), ...roots.values()])].filter((member) => member !== survivor);
  for (const other of others) await merge(orgId, other, survivor);
  return others.length > 0;
}

/** The root of each of the customers; null when one of them is gone, along with the pointers to it. */
async function findRoots(orgId: string, customers: Set<string>): Promise<Map<string, string> | null> {
  const roots = new Map<string, string>();
  for (const customer of customers) {
    const root = await findRoot(orgId, customer);
    if (!root) return null;
    roots.set(customer, root);
  }
  return roots;
}

/**
 * The customer that a customer's id leads to today, following merges; one being erased is erased first. Null when the
 * customer is gone, and then no pointers to it remain.
 */
export async function findRoot(orgId: string, customer: string): Promise<string | null> {
  const way: string[] = [];
  for (let id = customer; ; ) {
    way.push(id);
    const found = await CustomerModel.findOne({ orgId, _id: id }, { mergedInto: 1, erasing: 1 }).lean();
    if (found?.erasing) await completeErasure(orgId, id);
    if (!found || found.erasing) {
      await abandon(orgId, way);
      return null;
    }
    if (!found.mergedInto) return id;
    id = found.mergedInto;
  }
}

/**
 * Releases what still belongs to removed customers: identifiers claimed and events moved to them during their erasure
 * or removal. The events are pending again and find a new customer by their identifiers.
 */
async function abandon(orgId: string, gone: string[]): Promise<void> {
  const customer = { $in: gone };
  for (;;) {
    const events = await EventModel.find({ orgId, customer }, workFields).limit(maxBatchSize).lean();
    if (events.length === 0) break;
    await insertPending(events.map(newPendingEvent));
    const part = { orgId, _id: { $in: events.map(({ _id }) => _id) }, customer };
    await EventModel.updateMany(part, { $set: { customer: null } });
  }
  await IdentifierModel.deleteMany({ orgId, customer });
  await CustomerModel.deleteMany({ orgId, _id: customer });
}

/** The identifiers of a customer. */
export async function identifiersOfCustomer(orgId: string, customer: string): Promise<string[]> {
  const pointers = await IdentifierModel.find({ orgId, customer }, { key: 1 }).lean();
  return pointers.map(({ key }) => key);
}

/**
 * Removes a customer without events, unless a story was composed since it was read; a worker that is about to compose
 * one does not find the customer and looks again.
 */
export async function removeIfUnused(orgId: string, customer: string): Promise<void> {
  const unmerged = { orgId, _id: customer, mergedInto: null, erasing: false };
  const found = await CustomerModel.findOne(unmerged, { revision: 1 }).lean();
  if (!found || (await EventModel.findOne({ orgId, customer }, { _id: 1 }).lean())) return;
  const { deletedCount } = await CustomerModel.deleteOne({ ...unmerged, revision: found.revision });
  if (deletedCount === 0) return;
  await IdentifierModel.deleteMany({ orgId, customer });
  await CustomerModel.deleteMany({ orgId, mergedInto: customer });
}

/** Removes a new customer without identifiers. One that has some is merged by the caller that finds it. */
async function removeUnlessNamed(orgId: string, customer: string): Promise<void> {
  const names = await identifiersOfCustomer(orgId, customer);
  if (names.length === 0) await removeIfUnused(orgId, customer);
}

async function createCustomer(orgId: string): Promise<string> {
  const customer = newCustomer(orgId);
  await nativeCollection<CustomerDocument>(CustomerModel).insertOne(customer);
  return customer._id;
}

/**
 * Creates a customer for each list of identifiers, which must share none. Undefined where another worker claimed some
 * of the identifiers concurrently: `findCustomer` then finds their customer.
 */
export async function createCustomers(orgId: string, keysOfEach: string[][]): Promise<(string | undefined)[]> {
  if (keysOfEach.length === 0) return [];
  const customers = keysOfEach.map(() => newCustomer(orgId));
  await nativeCollection<CustomerDocument>(CustomerModel).insertMany(customers);
  const pointers = customers.flatMap(({ _id }, index) => pointersTo(orgId, _id, keysOfEach[index] ?? []));
  const refused = await insertManyUnordered(nativeCollection<IdentifierDocument>(IdentifierModel), pointers);
  const lost = new Set([...refused].flatMap((index) => pointers[index]?.customer ?? []));
  for (const customer of lost) await removeUnlessNamed(orgId, customer);
  return customers.map(({ _id }) => (lost.has(_id) ? undefined : _id));
}

function newCustomer(orgId: string): CustomerDocument {
  return {
    _id: newId('cus'),
    orgId,
    mergedInto: null,
    revision: 0,
    erasing: false,
    ...nothingComposed,
    composerVersion: 0,
  };
}

/** False when another worker claimed one of them first. */
async function claimIdentifiers(orgId: string, keys: string[], customer: string): Promise<boolean> {
  const pointers = pointersTo(orgId, customer, keys);
  const refused = await insertManyUnordered(nativeCollection<IdentifierDocument>(IdentifierModel), pointers);
  return refused.size === 0;
}

function pointersTo(orgId: string, customer: string, keys: string[]): IdentifierDocument[] {
  return keys.map((key) => ({ _id: identifierDocumentId(orgId, key), orgId, key, customer }));
}

/**
 * The order matters for a repetition after a crash: identifiers move last, so until the merge is complete they mark
 * that work remains; and the survivor's fold is dropped after the events have moved, so that no story composed in
 * between is continued.
 */
async function merge(orgId: string, from: string, into: string): Promise<void> {
  const marked = await CustomerModel.updateOne(
    { orgId, _id: from, mergedInto: null, erasing: false },
    { $set: { mergedInto: into, ...nothingComposed }, $unset: discardedWithCustomer, $inc: { revision: 1 } },
  );
  // Events of a customer under erasure must not move away from it.
  if (marked.matchedCount === 0 && !(await findRoot(orgId, from))) return;
  await CustomerModel.updateMany({ orgId, mergedInto: from }, { $set: { mergedInto: into } });
  await EventModel.updateMany({ orgId, customer: from }, { $set: { customer: into } });
  const { matchedCount } = await CustomerModel.updateOne(
    { orgId, _id: into, mergedInto: null, erasing: false },
    { $set: { ...nothingComposed, composeAt: leaseNow() }, $unset: discardedWithFold, $inc: { revision: 1 } },
  );
  await IdentifierModel.updateMany({ orgId, customer: from }, { $set: { customer: into } });
  if (matchedCount === 1) return;
  // Merged or erased before the events came: that merge or erasure has not seen them.
  const root = await findRoot(orgId, into);
  if (root) await merge(orgId, into, root);
}

const documentIds = (orgId: string, keys: string[]): string[] => keys.map((key) => identifierDocumentId(orgId, key));
