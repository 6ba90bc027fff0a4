import { now } from '../../../lib/clock.ts';
import { apiError } from '../../../lib/errors.ts';
import { type UserDeletion, UserModel } from '../../../models/identity/user.ts';

/** A deletion whose lease this process holds. */
export type UserInDeletion = { userId: string; deletion: UserDeletion };

/**
 * Renews the lease before a step, and stores what the step will do. A process that lost its lease stops here.
 *
 * @throws CONFLICT another process holds the lease.
 */
export async function renew({ userId, deletion }: UserInDeletion, set: object = {}, addToSet?: object): Promise<void> {
  const { matchedCount } = await UserModel.updateOne(
    { _id: userId, status: 'deleting', 'deletion.leaseOwner': deletion.leaseOwner },
    { $set: { ...set, updatedAt: now() }, ...(addToSet && { $addToSet: addToSet }) },
  );
  if (matchedCount === 0) throw apiError('CONFLICT');
}

/** Enters another phase. Every process that continues the deletion starts from it. */
export async function enter(work: UserInDeletion, phase: UserDeletion['phase']): Promise<void> {
  await renew(work, { 'deletion.phase': phase });
  work.deletion.phase = phase;
}

/** Ends a deletion that was refused: the user can log in again. */
export async function reactivate({ userId, deletion }: UserInDeletion): Promise<void> {
  await UserModel.updateOne(
    { _id: userId, status: 'deleting', 'deletion.leaseOwner': deletion.leaseOwner },
    { $set: { status: 'active', deletion: null, updatedAt: now() }, $inc: { revision: 1 } },
  );
}
