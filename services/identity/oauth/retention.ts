import { now } from '../../../lib/data/clock.ts';
import { removeAcrossTenants } from '../../../lib/data/collection.ts';
import { OAuthArtifactModel } from '../../../models/identity/oauth-artifact.ts';
import { OAuthRevokedTokenModel } from '../../../models/identity/oauth-revoked-token.ts';
import { sweepSigningKeys } from './signing-keys.ts';

/** Removes what has expired; for the scheduled sweep. */
export async function sweepOAuth(signal: AbortSignal): Promise<void> {
  const expired = { expiresAt: { $lte: now() } };
  await removeAcrossTenants(OAuthArtifactModel, expired, signal);
  await removeAcrossTenants(OAuthRevokedTokenModel, expired, signal);
  await sweepSigningKeys();
}
