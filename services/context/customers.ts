import { isDuplicateKey } from '../../lib/database-errors.ts';
import { newId } from '../../lib/ids.ts';
import { nativeCollection } from '../../lib/native-collection.ts';
import { type CustomerDocument, CustomerModel } from '../../models/context/customer.ts';
import { EventModel } from '../../models/context/event.ts';
import { type IdentifierDocument, IdentifierModel, identifierDocumentId } from '../../models/context/identifier.ts';
import { completeErasure } from './erasure.ts';

/**
 * Finds the customer whom identifiers name, makes one of none, and makes one of several: the older survives.
 *
 * Every step is a single atomic operation and may be repeated, so two workers at once, or one that died half-way and
 * another that starts again, end in the same place. A merge goes from the younger id to the older, so merges never
 * form a circle.
 */
export async function findCustomer(orgId: string, keys: string[]): Promise<string> {
  for (;;) {
    const pointers = await IdentifierModel.find({ orgId, _id: { $in: documentIds(orgId, keys) } }).lean();
    const roots = new Map<string, string>();
    for (const { customer } of pointers) {
      if (!roots.has(customer)) roots.set(customer, await findRoot(orgId, customer));
    }
    const survivor = [...roots.values()].sort()[0] ?? (await createCustomer(orgId));
    // A pointer that is not at its root was left by a merge that did not end.
    for (const member of new Set([...roots.keys(), ...roots.values()])) {
      if (member !== survivor) await merge(orgId, member, survivor);
    }
    const known = new Set(pointers.map(({ key }) => key));
    const missing = keys.filter((key) => !known.has(key));
    if (await claimIdentifiers(orgId, missing, survivor)) return survivor;
  }
}

/** The customer that a customer's id leads to today, following merges. One being erased is erased first. */
export async function findRoot(orgId: string, customer: string): Promise<string> {
  let id = customer;
  for (;;) {
    const found = await CustomerModel.findOne({ orgId, _id: id }, { mergedInto: 1, erasing: 1 }).lean();
    if (found?.erasing) await completeErasure(orgId, id);
    if (!found?.mergedInto) return id;
    id = found.mergedInto;
  }
}

/** The identifiers that lead to a customer. */
export async function identifiersOfCustomer(orgId: string, customer: string): Promise<string[]> {
  const pointers = await IdentifierModel.find({ orgId, customer }, { key: 1 }).lean();
  return pointers.map(({ key }) => key);
}

/** Removes a customer to whom no event belongs: made for events that were erased before they could be assigned. */
export async function removeIfUnused(orgId: string, customer: string): Promise<void> {
  const found = await CustomerModel.findOne({ orgId, _id: customer }, { mergedInto: 1 }).lean();
  if (!found || found.mergedInto) return;
  if (await EventModel.findOne({ orgId, customer }, { _id: 1 }).lean()) return;
  await completeErasure(orgId, customer);
}

async function createCustomer(orgId: string): Promise<string> {
  const customer: CustomerDocument = {
    _id: newId('cus'),
    orgId,
    mergedInto: null,
    revision: 0,
    rebuild: false,
    erasing: false,
    story: null,
    foldState: null,
    composerVersion: 0,
  };
  await nativeCollection<CustomerDocument>(CustomerModel).insertOne(customer);
  return customer._id;
}

/** False when another worker claimed one of them first. */
async function claimIdentifiers(orgId: string, keys: string[], customer: string): Promise<boolean> {
  if (keys.length === 0) return true;
  const documents = keys.map((key) => ({ _id: identifierDocumentId(orgId, key), orgId, key, customer }));
  try {
    await nativeCollection<IdentifierDocument>(IdentifierModel).insertMany(documents);
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/**
 * The order matters to whoever repeats this after a crash: identifiers move last, so until all is done they show that
 * something is left to do; and the survivor is marked for a rebuild after the events have moved, so that no story
 * composed in between is continued.
 */
async function merge(orgId: string, from: string, into: string): Promise<void> {
  await CustomerModel.updateOne(
    { orgId, _id: from, mergedInto: null },
    { $set: { mergedInto: into, story: null, foldState: null }, $inc: { revision: 1 } },
  );
  await EventModel.updateMany({ orgId, customer: from }, { $set: { customer: into } });
  await CustomerModel.updateOne({ orgId, _id: into }, { $set: { rebuild: true }, $inc: { revision: 1 } });
  await IdentifierModel.updateMany({ orgId, customer: from }, { $set: { customer: into } });
}

const documentIds = (orgId: string, keys: string[]): string[] => keys.map((key) => identifierDocumentId(orgId, key));
