import { randomUUID } from 'node:crypto';
import type { Document } from 'mongodb';
import { leaseFromNow, leaseNow } from './clock.ts';
import { nativeCollection } from './collection.ts';

/**
 * The fields of a lease in a document. `leaseOwner` is the fencing token: each claim has another, and every write of a
 * holder is conditional on it. `leaseUntil` is when the lease expires and another run may claim it.
 */
export type Lease = { leaseOwner: string; leaseUntil: Date };

type Model = { collection: unknown };

/** Creates a lease that begins now. */
export function newLease(milliseconds: number): Lease {
  return { leaseOwner: randomUUID(), leaseUntil: leaseFromNow(milliseconds) };
}

/**
 * Claims the expired lease of the document with these fields; null when another run holds it. Reads the document again,
 * because two runs may claim it where an update is not atomic (FerretDB): the last one gets it.
 */
export async function claimLease<T extends Lease>(
  model: Model,
  fields: Partial<T>,
  milliseconds: number,
): Promise<T | null> {
  const lease = newLease(milliseconds);
  const collection = nativeCollection<Document>(model);
  await collection.updateOne({ ...fields, leaseUntil: { $lte: leaseNow() } }, { $set: lease });
  return await collection.findOne<T>({ ...fields, leaseOwner: lease.leaseOwner });
}

/** Renews the lease that these fields name by its owner; false when another run has claimed it since. */
export async function renewLease<T extends Lease>(
  model: Model,
  held: Partial<T> & Pick<Lease, 'leaseOwner'>,
  milliseconds: number,
): Promise<boolean> {
  const renewed = { $set: { leaseUntil: leaseFromNow(milliseconds) } };
  return (await nativeCollection<Document>(model).updateOne(held, renewed)).matchedCount === 1;
}
