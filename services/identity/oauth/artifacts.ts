import { recordAuditEvent } from '../../../lib/audit.ts';
import type { Ctx } from '../../../lib/caller.ts';
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

/** The artifact with the identifier of this hash; null when there is none, or its grant has ended. */
export async function findLiveArtifact(kind: ArtifactKind, hash: string): Promise<OAuthArtifactDocument | null> {
  const artifact = await OAuthArtifactModel.findOne({ _id: artifactId(kind, hash) }).lean<OAuthArtifactDocument>();
  if (!artifact || artifact.expiresAt <= now()) return null;
  return kind !== 'Grant' || (await isGrantLive(artifact)) ? artifact : null;
}

/**
 * A grant ends at the moment when the user withdraws their consent, or its session ends. It is removed then too, but
 * not in one step, and a concurrent grant would be missed.
 */
async function isGrantLive({ accountId, clientId, sessionId }: OAuthArtifactDocument): Promise<boolean> {
  const [consent, session] = await Promise.all([
    OAuthConsentModel.exists({ _id: consentId(accountId ?? '', clientId ?? '') }),
    sessionId === null || SessionModel.exists({ _id: sessionId, expiresAt: { $gt: now() } }),
  ]);
  return Boolean(consent && session);
}

/**
 * Removes a grant with its codes and refresh tokens; its access tokens are refused from then on. Of concurrent calls
 * one finds the grant, and records it.
 */
export async function removeGrant(ctx: Ctx, grantHash: string): Promise<void> {
  const artifacts = nativeCollection<OAuthArtifactDocument>(OAuthArtifactModel);
  const grant = await artifacts.findOneAndDelete({ _id: artifactId('Grant', grantHash) });
  await artifacts.deleteMany({ grantId: grantHash });
  if (!grant?.accountId || !grant.clientId) return;
  const client = await findLiveClient(grant.clientId);
  await recordAuditEvent(ctx, {
    action: 'grant.revoked',
    ...(client && { orgId: client.orgId }),
    actor: { type: 'application', id: client?.applicationId ?? null },
    target: { type: 'oauth-client', id: grant.clientId },
    before: { userId: grant.accountId },
  });
}
