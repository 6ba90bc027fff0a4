import { randomUUID } from 'node:crypto';
import { fromNow, minute, now } from '../../../../lib/clock.ts';
import { nativeCollection } from '../../../../lib/native-collection.ts';
import { type SubscriptionDocument, SubscriptionModel } from '../../../../models/billing/subscription.ts';

/** Longer than it takes to tell a provider something: some ten calls, each with its repetitions. */
const lease = 15 * minute;
/** Each time one is repeated, the organization has wanted something else meanwhile. */
const maxAttempts = 10;

/**
 * Tells a provider what an organization wants, until `tell` answers that this is what it wants still. On all nodes one
 * run at a time does so: what is under way there slowly cannot arrive after what was wanted later.
 *
 * @throws Error another run is at it; it sees what is wanted by now, and whoever asked looks again later.
 */
export async function withDispatchLease(orgId: string, dispatch: () => Promise<boolean>): Promise<void> {
  const id = randomUUID();
  try {
    for (let times = 0; times < maxAttempts; times += 1) {
      if (!(await claim(orgId, id))) throw new Error('Another run is telling the provider what is wanted.');
      if (await dispatch()) return;
    }
    throw new Error('Each time that the provider was told what is wanted, that had changed.');
  } finally {
    await collection().updateOne({ _id: orgId, orgId, 'teller.id': id }, { $unset: { teller: '' } });
  }
}

async function claim(orgId: string, id: string): Promise<boolean> {
  const free = [{ teller: { $exists: false } }, { 'teller.until': { $lte: now() } }, { 'teller.id': id }];
  const claimed = { $set: { teller: { id, until: fromNow(lease) } } };
  return (await collection().updateOne({ _id: orgId, orgId, $or: free }, claimed)).matchedCount === 1;
}

const collection = () => nativeCollection<SubscriptionDocument>(SubscriptionModel);
