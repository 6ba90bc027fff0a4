import { randomBytes } from 'node:crypto';
import type { SystemRole } from '../../lib/contract/authorize.ts';
import { fromNow, minute, now } from '../../lib/data/clock.ts';
import { newId } from '../../lib/data/ids.ts';
import { hashToken } from '../../lib/security/token-hash.ts';
import type { InvitationDocument } from '../../models/identity/invitation.ts';
import type { Client } from './client.ts';
import { sharedPlatform } from './shared-platform.ts';
import { databaseUrlOf, entranceOf, takeFounder, withDatabase } from './tenants.ts';
import { insertUser, renameUser, sessionClientOf, type User } from './users.ts';

export { sessionClientOf, testPassword, type User } from './users.ts';

export type UserOptions = { email?: string; orgId?: string; role?: SystemRole };

/**
 * Makes a user with a session straight in the database of a platform that has started, and, when an organization is
 * given, has them join it: as an owner unless the role is given. The first owner of an organization is its founder.
 */
export async function createUser(databaseUrl: string, options: UserOptions = {}): Promise<User> {
  const { orgId, role = 'owner', email } = options;
  const founder = orgId !== undefined && role === 'owner' ? takeFounder(orgId) : undefined;
  if (founder) return email === undefined ? founder : await renameUser(databaseUrl, founder, email);
  return await withDatabase(databaseUrl, async () => {
    const user = await insertUser(databaseUrl, email);
    if (orgId !== undefined) await join(databaseUrl, user, { orgId, role });
    return user;
  });
}

/** Has a user join one more organization, of the shared platform unless the database of another is given. */
export async function joinAs(
  user: User,
  membership: { orgId: string; role: SystemRole },
  databaseUrl?: string,
): Promise<void> {
  await join(databaseUrl ?? (await databaseUrlOf(await sharedPlatform())), user, membership);
}

/** By an invitation of which nothing is left but the member. */
async function join(
  databaseUrl: string,
  user: User,
  { orgId, role }: { orgId: string; role: SystemRole },
): Promise<void> {
  const { url, publicUrl } = entranceOf(databaseUrl);
  const token = randomBytes(16).toString('base64url');
  const invitation = newInvitation({ orgId, role, email: user.email, tokenHash: hashToken(token) });
  const { _id } = invitation;
  await withDatabase(databaseUrl, async (database) => {
    const invitations = database.collection<InvitationDocument>('identity_invitations');
    await invitations.insertOne(invitation);
    const { status, text } = await sessionClientOf(url, user.sessionToken, publicUrl).send(
      'POST',
      `/organizations/invitations/${token}/accept`,
    );
    if (status !== 200) throw new Error(`${user.email} could not join ${orgId}: ${status} ${text}`);
    await invitations.deleteOne({ _id });
    await database.collection('identity_audit_records').deleteMany({
      orgId,
      action: { $in: ['invitation.accepted', 'member.added'] },
      'target.id': { $in: [_id, user.userId] },
    });
  });
}

function newInvitation(given: Pick<InvitationDocument, 'orgId' | 'role' | 'email' | 'tokenHash'>): InvitationDocument {
  const _id = newId('inv');
  return {
    _id,
    ...given,
    status: 'pending',
    openKey: _id,
    invitedBy: { type: 'user', id: newId('usr') },
    acceptedBy: null,
    joinBy: null,
    expiresAt: fromNow(minute),
    createdAt: now(),
    updatedAt: now(),
  };
}

/** A client of the shared platform on behalf of a user that nobody else uses; a member of no organization by default. */
export async function newUserClient(options?: UserOptions): Promise<Client & User> {
  const platform = await sharedPlatform();
  const user = await createUser(await databaseUrlOf(platform), options);
  return { ...sessionClientOf(platform.url, user.sessionToken), ...user };
}
