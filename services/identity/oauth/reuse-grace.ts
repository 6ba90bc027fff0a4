import { fromNow, second } from '../../../lib/clock.ts';
import type { OAuthArtifactDocument } from '../../../models/identity/oauth-artifact.ts';

/** How long a used refresh token may be sent again, by a client that did not get the answer. */
const reuseGrace = 30 * second;

/** Whether a refresh token was used so recently that sending it again returns the same successor once more. */
export function isInGrace({ kind, consumedAt }: Pick<OAuthArtifactDocument, 'kind' | 'consumedAt'>): boolean {
  return kind === 'RefreshToken' && consumedAt !== null && consumedAt > fromNow(-reuseGrace);
}
