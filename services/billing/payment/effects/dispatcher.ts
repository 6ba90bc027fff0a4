import { randomUUID } from 'node:crypto';
import { leaseFromNow, leaseNow, minute } from '../../../../lib/clock.ts';
import { nativeCollection } from '../../../../lib/native-collection.ts';
import { type SubscriptionDocument, SubscriptionModel } from '../../../../models/billing/subscription.ts';

/** Longer than one dispatch takes: some ten calls of a provider, each with its retries. */
const lease = 15 * minute;
/** The maximum of attempts; each retry follows a change of the desired state. */
const maxAttempts = 10;

/**
 * Dispatches an organization's desired state to its provider, until `dispatch` returns that the state did not change
 * during the call. One run at a time holds the lease across all nodes, so that a slow call cannot arrive after a later
 * one.
 *
 * @throws Error another run holds the lease. It sends the newest state; the caller retries later.
 */
export async function withDispatchLease(orgId: string, dispatch: () => Promise<boolean>): Promise<void> {
  const id = randomUUID();
  try {
    for (let times = 0; times < maxAttempts; times += 1) {
      if (!(await claim(orgId, id))) throw new Error('Another run is dispatching the desired state.');
      if (await dispatch()) return;
    }
    throw new Error('The desired state changed during each dispatch to the provider.');
  } finally {
    await collection().updateOne({ _id: orgId, orgId, 'teller.id': id }, { $unset: { teller: '' } });
  }
}

async function claim(orgId: string, id: string): Promise<boolean> {
  const free = [{ teller: { $exists: false } }, { 'teller.until': { $lte: leaseNow() } }, { 'teller.id': id }];
  const claimed = { $set: { teller: { id, until: leaseFromNow(lease) } } };
  return (await collection().updateOne({ _id: orgId, orgId, $or: free }, claimed)).matchedCount === 1;
}

const collection = () => nativeCollection<SubscriptionDocument>(SubscriptionModel);
