import { z } from 'zod';
import type { PublishContext } from '../../../lib/contract/context.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { type OAuthArtifactDocument, OAuthArtifactModel } from '../../../models/identity/oauth-artifact.ts';
import { OAuthConsentModel } from '../../../models/identity/oauth-consent.ts';
import { publishCredentialChange } from '../current-rights.ts';

/** `sessionId` null: the grants that outlive the session they were made in (`offline_access`). */
type GrantFilter = { userId?: string; clientId?: string; sessionId?: string | null };

const kinds: OAuthArtifactDocument['kind'][] = ['Grant', 'AuthorizationCode', 'RefreshToken'];

/**
 * `identity.oauth.revoke-grants`: removes the grants that match the given user, client and session, with their codes
 * and refresh tokens. Their access tokens are refused from then on. Without a session the consents are removed too.
 */
export const revokeGrantsAction = defineAction({
  summary: 'Revoke grants with their tokens',
  permission: 'internal',
  input: {
    body: z
      .strictObject({
        userId: z.string().optional(),
        clientId: z.string().optional(),
        sessionId: z.string().optional(),
      })
      .refine((filter) => Object.keys(filter).length > 0, 'Must have a userId, a clientId or a sessionId.'),
  },
  output: z.strictObject({ revoked: z.number() }),
  handler: async ({ body, ctx }) => ({ revoked: await revokeGrants(ctx, body as GrantFilter) }),
});

/** Implements {@link revokeGrantsAction} for the rest of this service; returns how many grants there were. */
export async function revokeGrants(ctx: PublishContext, filter: GrantFilter): Promise<number> {
  const { userId, clientId, sessionId } = filter;
  const owner = { ...(userId !== undefined && { accountId: userId }), ...(clientId !== undefined && { clientId }) };
  // Consents first: an authorization in flight must not make another grant from them.
  if (sessionId === undefined) await deleteConsents(filter);
  const revoked = sessionId === undefined ? await removeOf(owner) : await removeOfSession({ ...owner, sessionId });
  const isNews = revoked > 0 && (userId !== undefined || clientId !== undefined);
  if (isNews)
    await publishCredentialChange(ctx, { ...(userId !== undefined ? { userId } : { clientId: clientId ?? '' }) });
  return revoked;
}

async function deleteConsents({ userId, clientId }: GrantFilter): Promise<void> {
  await OAuthConsentModel.deleteMany({
    ...(userId !== undefined && { userId }),
    ...(clientId !== undefined && { clientId }),
  });
}

/** Grants first: without its grant a code or refresh token is useless. */
async function removeOf(owner: { accountId?: string; clientId?: string }): Promise<number> {
  const artifacts = nativeCollection<OAuthArtifactDocument>(OAuthArtifactModel);
  const { deletedCount } = await artifacts.deleteMany({ ...owner, kind: 'Grant' });
  await artifacts.deleteMany({ ...owner, kind: { $in: kinds } });
  return deletedCount;
}

type OfSession = { sessionId: string | null; accountId?: string; clientId?: string };

async function removeOfSession(filter: OfSession): Promise<number> {
  const artifacts = nativeCollection<OAuthArtifactDocument>(OAuthArtifactModel);
  const grants = await artifacts.find({ ...filter, kind: 'Grant' }, { projection: { _id: 1 } }).toArray();
  const hashes = grants.map(({ _id }) => _id.slice('Grant:'.length));
  const { deletedCount } = await artifacts.deleteMany({ _id: { $in: grants.map(({ _id }) => _id) } });
  await artifacts.deleteMany({ grantId: { $in: hashes }, kind: { $in: kinds } });
  return deletedCount;
}
