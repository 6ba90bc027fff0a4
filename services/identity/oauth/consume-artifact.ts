import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { now } from '../../../lib/clock.ts';
import { tokenHashInput } from '../../../lib/token-hash.ts';
import {
  artifactId,
  artifactKinds,
  type OAuthArtifactDocument,
  OAuthArtifactModel,
} from '../../../models/identity/oauth-artifact.ts';
import { removeGrant } from './artifacts.ts';
import { isInGrace } from './reuse-grace.ts';

/**
 * `identity.oauth.artifacts.consume`: consumes a code or refresh token. Of concurrent attempts one gets true; a refresh
 * token may be sent again for a moment, until its successor is used. Any other second use revokes the grant, because
 * one of the two senders is an attacker (RFC 6749 section 4.1.2, RFC 9700 section 4.14.2).
 */
export const consumeArtifact = defineAction({
  summary: 'Use up an artifact of the OpenID provider',
  permission: 'internal',
  input: {
    body: z.strictObject({
      kind: z.enum(artifactKinds),
      hash: tokenHashInput,
      /** The hash of the refresh token that replaces this one; null for other artifacts. */
      successor: tokenHashInput.nullable(),
    }),
  },
  output: z.strictObject({ consumed: z.boolean() }),
  async handler({ body: { kind, hash, successor }, ctx }) {
    const _id = artifactId(kind, hash);
    const unused = { _id, consumedAt: null, expiresAt: { $gt: now() } };
    const { modifiedCount } = await OAuthArtifactModel.updateOne(unused, { $set: { consumedAt: now() } });
    if (modifiedCount === 1) return { consumed: true };
    const artifact = await OAuthArtifactModel.findOne({ _id }).lean<OAuthArtifactDocument>();
    if (!artifact) return { consumed: false };
    if (isInGrace(artifact) && !(await isUsed(successor))) return { consumed: true };
    if (artifact.consumedAt && artifact.grantId) await removeGrant(ctx, artifact.grantId);
    return { consumed: false };
  },
});

/** A client that uses a refresh token has received it, so it has no reason to send the previous one again. */
async function isUsed(hash: string | null): Promise<boolean> {
  if (hash === null) return false;
  const _id = artifactId('RefreshToken', hash);
  return (await OAuthArtifactModel.exists({ _id, consumedAt: { $ne: null } })) !== null;
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.oauth.artifacts.consume': typeof consumeArtifact;
  }
}
