import type { Context } from 'moleculer';
import { OAuthClientModel } from '../../../models/identity/oauth-client.ts';
import { publishCredentialChange } from '../announce.ts';
import { revokeGrants } from '../oauth/revoke-grants.ts';

/** Removes the OAuth clients that match, with everything that was granted to them; may be repeated. */
export async function removeOAuthClients(
  ctx: Pick<Context, 'broadcast' | 'broker'>,
  filter: { orgId: string; applicationId?: string },
): Promise<void> {
  const clients = await OAuthClientModel.find(filter, { _id: 1 }).lean();
  for (const { _id: clientId } of clients) {
    // Grants are revoked before, because after a crash the client could not be found; and after, for concurrent grants.
    await revokeGrants(ctx, { clientId });
    await OAuthClientModel.deleteOne({ orgId: filter.orgId, _id: clientId });
    await publishCredentialChange(ctx, { clientId });
    await revokeGrants(ctx, { clientId });
  }
}
