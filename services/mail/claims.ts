import { fromNow, minute, now } from '../../lib/clock.ts';
import { type MessageDocument, MessageModel, openStatuses } from '../../models/mail/message.ts';

export const lease = minute;

/** A message that only this sender may send, as long as it renews its lease. */
export type Claim = MessageDocument & { leaseOwner: string };

/**
 * Claims the message that has waited longest, in one atomic update: a due one, or one whose lease has expired. `except`
 * are those this sender has in flight. Null when there is none.
 */
export async function claimNext(leaseOwner: string, except: string[]): Promise<Claim | null> {
  const due = {
    status: { $in: openStatuses },
    nextAttemptAt: { $lte: now() },
    $or: [{ leaseUntil: null }, { leaseUntil: { $lte: now() } }],
    _id: { $nin: except },
  };
  const claimed = { status: 'sending' as const, leaseOwner, leaseUntil: fromNow(lease), updatedAt: now() };
  return await MessageModel.findOneAndUpdate(due, { $set: claimed, $inc: { attempts: 1 } })
    .setOptions({ acrossTenants: true, sort: { nextAttemptAt: 1 }, returnDocument: 'after' })
    .lean<Claim>();
}

/** Renews the lease of the message; false when another sender has claimed it. */
export async function renewClaim(claim: Claim): Promise<boolean> {
  return await updateClaimed(claim, { leaseUntil: fromNow(lease) });
}

/** Stores the outcome, unless another sender has claimed the message meanwhile. */
export async function settleClaim(claim: Claim, outcome: Partial<MessageDocument>): Promise<boolean> {
  return await updateClaimed(claim, { leaseOwner: null, leaseUntil: null, updatedAt: now(), ...outcome });
}

async function updateClaimed({ orgId, _id, leaseOwner }: Claim, change: Partial<MessageDocument>): Promise<boolean> {
  const { matchedCount } = await MessageModel.updateOne({ orgId, _id, leaseOwner }, { $set: change });
  return matchedCount === 1;
}
