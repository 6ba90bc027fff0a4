import type { Context } from 'moleculer';
import { recordAct } from '../../../lib/audit.ts';
import type { RequestMeta } from '../../../lib/caller.ts';
import { now } from '../../../lib/clock.ts';
import { nativeCollection } from '../../../lib/native-collection.ts';
import {
  type ArtifactKind,
  artifactId,
  type OAuthArtifactDocument,
  OAuthArtifactModel,
} from '../../../models/identity/oauth-artifact.ts';
import { consentId, OAuthConsentModel } from '../../../models/identity/oauth-consent.ts';
import { SessionModel } from '../../../models/identity/session.ts';
import { findLiveClient } from './clients.ts';

/** The artifact with the identifier of this hash; null when there is none, or what it hangs on has ended. */
export async function findLiveArtifact(kind: ArtifactKind, hash: string): Promise<OAuthArtifactDocument | null> {
  const artifact = await OAuthArtifactModel.findOne({ _id: artifactId(kind, hash) }).lean<OAuthArtifactDocument>();
  if (!artifact || artifact.expiresAt <= now()) return null;
  return kind !== 'Grant' || (await isGrantLive(artifact)) ? artifact : null;
}

/**
 * A grant ends in the moment when the user withdraws what they allowed, or their session ends that it was made for. It is
 * removed then too, but not in one step, and one that is being made meanwhile would be missed.
 */
async function isGrantLive({ accountId, clientId, sessionId }: OAuthArtifactDocument): Promise<boolean> {
  const [consent, session] = await Promise.all([
    OAuthConsentModel.exists({ _id: consentId(accountId ?? '', clientId ?? '') }),
    sessionId === null || SessionModel.exists({ _id: sessionId, expiresAt: { $gt: now() } }),
  ]);
  return Boolean(consent && session);
}

/**
 * Removes a grant with the codes and refresh tokens issued under it; its access tokens are refused from then on. Of
 * several that do so at once one finds it, and records it.
 */
export async function removeGrant(ctx: Context<unknown, RequestMeta>, grantHash: string): Promise<void> {
  const artifacts = nativeCollection<OAuthArtifactDocument>(OAuthArtifactModel);
  const grant = await artifacts.findOneAndDelete({ _id: artifactId('Grant', grantHash) });
  await artifacts.deleteMany({ grantId: grantHash });
  if (!grant?.accountId || !grant.clientId) return;
  const client = await findLiveClient(grant.clientId);
  await recordAct(ctx, {
    action: 'grant.revoked',
    ...(client && { orgId: client.orgId }),
    actor: { type: 'application', id: client?.applicationId ?? null },
    target: { type: 'oauth-client', id: grant.clientId },
    before: { userId: grant.accountId },
  });
}
