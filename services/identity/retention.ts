import { now } from '../../lib/data/clock.ts';
import { removeAcrossTenants } from '../../lib/data/collection.ts';
import { OAuthArtifactModel } from '../../models/identity/oauth-artifact.ts';
import { OAuthRevokedTokenModel } from '../../models/identity/oauth-revoked-token.ts';
import { sweepAttempts } from './accounts/attempts.ts';
import { sweepMailedTokens } from './accounts/mailed-tokens.ts';
import { sweepSigningKeys } from './oauth/signing-keys.ts';

/** Removes the mailed links and counted attempts that have expired; for the scheduled sweep. */
export async function sweepAccounts(signal?: AbortSignal): Promise<void> {
  await Promise.all([sweepMailedTokens(signal), sweepAttempts(signal)]);
}

/** Removes the tokens and revocations of OAuth that have expired; for the scheduled sweep. */
export async function sweepOAuth(signal: AbortSignal): Promise<void> {
  const expired = { expiresAt: { $lte: now() } };
  await removeAcrossTenants(OAuthArtifactModel, expired, signal);
  await removeAcrossTenants(OAuthRevokedTokenModel, expired, signal);
  await sweepSigningKeys();
}
