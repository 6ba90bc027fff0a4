import { now } from '../../../lib/clock.ts';
import { removeAcrossTenants } from '../../../lib/remove-up-to.ts';
import { OAuthArtifactModel } from '../../../models/identity/oauth-artifact.ts';
import { OAuthConsentModel } from '../../../models/identity/oauth-consent.ts';
import { OAuthRevokedTokenModel } from '../../../models/identity/oauth-revoked-token.ts';
import { SigningKeyModel } from '../../../models/identity/signing-key.ts';
import { findConsent, implyConsent, rememberConsent } from './consents.ts';
import { consumeArtifact } from './consume-artifact.ts';
import { destroyArtifact, revokeGrant } from './destroy-artifact.ts';
import { findArtifact, findArtifactByUid } from './find-artifact.ts';
import { findClient } from './find-client.ts';
import { listSigningKeys } from './list-signing-keys.ts';
import { listMyApplications, withdrawMyApplication } from './my-applications.ts';
import { readClaims } from './read-claims.ts';
import { revokeGrantsAction } from './revoke-grants.ts';
import { revokeToken } from './revoke-token.ts';
import { sweepSigningKeys } from './signing-keys.ts';
import { upsertArtifact } from './upsert-artifact.ts';
import { verifyToken } from './verify-token.ts';

export const oauthActions = {
  'oauth.artifacts.upsert': upsertArtifact,
  'oauth.artifacts.find': findArtifact,
  'oauth.artifacts.find-by-uid': findArtifactByUid,
  'oauth.artifacts.consume': consumeArtifact,
  'oauth.artifacts.destroy': destroyArtifact,
  'oauth.artifacts.revoke-grant': revokeGrant,
  'oauth.clients.find': findClient,
  'oauth.claims.read': readClaims,
  'oauth.consents.find': findConsent,
  'oauth.consents.remember': rememberConsent,
  'oauth.consents.imply': implyConsent,
  'oauth.my-applications.list': listMyApplications,
  'oauth.my-applications.withdraw': withdrawMyApplication,
  'oauth.revoke-grants': revokeGrantsAction,
  'oauth.signing-keys': listSigningKeys,
  'tokens.verify': verifyToken,
  'tokens.revoke': revokeToken,
};

export const oauthModels = [OAuthArtifactModel, OAuthConsentModel, OAuthRevokedTokenModel, SigningKeyModel];

/** Removes what has expired; for the scheduled sweep. */
export async function sweepOAuth(signal: AbortSignal): Promise<void> {
  const expired = { expiresAt: { $lte: now() } };
  await removeAcrossTenants(OAuthArtifactModel, expired, signal);
  await removeAcrossTenants(OAuthRevokedTokenModel, expired, signal);
  await sweepSigningKeys();
}
