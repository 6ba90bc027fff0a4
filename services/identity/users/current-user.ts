import { fail } from '../../../lib/errors.ts';
import { type UserDocument, UserModel } from '../../../models/identity/user.ts';

/** The user of a credential; throws CREDENTIAL_INVALID when they were deleted since it was checked. */
export async function readCurrentUser(userId: string): Promise<UserDocument> {
  const user = await UserModel.findOne({ _id: userId, status: 'active' }).lean<UserDocument>();
  if (!user) throw fail('CREDENTIAL_INVALID');
  return user;
}
