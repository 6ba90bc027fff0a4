import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { tokenHashInput } from '../../../lib/token-hash.ts';
import { artifactId, artifactKinds, OAuthArtifactModel } from '../../../models/identity/oauth-artifact.ts';
import { removeGrant } from './artifacts.ts';

/** `identity.oauth.artifacts.destroy`: removes the provider's artifact with the identifier of this hash. */
export const destroyArtifact = defineAction({
  summary: 'Remove an artifact of the OpenID provider',
  permission: 'internal',
  input: { body: z.strictObject({ kind: z.enum(artifactKinds), hash: tokenHashInput }) },
  output: z.void(),
  async handler({ body: { kind, hash }, ctx }) {
    if (kind === 'Grant') await removeGrant(ctx, hash);
    else await OAuthArtifactModel.deleteOne({ _id: artifactId(kind, hash) });
  },
});

/** `identity.oauth.artifacts.revoke-grant`: removes a grant with its codes and refresh tokens. */
export const revokeGrant = defineAction({
  summary: 'Revoke a grant with its tokens',
  permission: 'internal',
  input: { body: z.strictObject({ hash: tokenHashInput }) },
  output: z.void(),
  handler: ({ body: { hash }, ctx }) => removeGrant(ctx, hash),
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.oauth.artifacts.destroy': typeof destroyArtifact;
    'identity.oauth.artifacts.revoke-grant': typeof revokeGrant;
  }
}
