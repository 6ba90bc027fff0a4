import { apiError } from '../../../lib/errors.ts';
import { createFindBatcher } from '../../../lib/find-together.ts';
import { type UserDocument, UserModel } from '../../../models/identity/user.ts';

const findStatus = createFindBatcher<UserDocument>(UserModel, '_id', ['status']);

/** Whether there is a user of this id who can sign in. */
export async function isActiveUser(userId: string): Promise<boolean> {
  return (await findStatus(null, userId))?.status === 'active';
}

/** The user of a credential; throws CREDENTIAL_INVALID when they were deleted since it was checked. */
export async function readCurrentUser(userId: string): Promise<UserDocument> {
  const user = await UserModel.findOne({ _id: userId, status: 'active' }).lean<UserDocument>();
  if (!user) throw apiError('CREDENTIAL_INVALID');
  return user;
}
