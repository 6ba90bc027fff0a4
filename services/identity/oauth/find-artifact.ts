import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { now } from '../../../lib/clock.ts';
import { tokenHashInput } from '../../../lib/token-hash.ts';
import {
  artifactKinds,
  type OAuthArtifactDocument,
  OAuthArtifactModel,
} from '../../../models/identity/oauth-artifact.ts';
import { findLiveArtifact } from './artifacts.ts';
import { isInGrace } from './reuse-grace.ts';

const artifactOutput = z.strictObject({ sealed: z.string(), isConsumed: z.boolean() }).nullable();

/**
 * `identity.oauth.artifacts.find`: the provider's artifact with the identifier of this hash. A refresh token that was
 * used a moment ago does not count as used.
 */
export const findArtifact = defineAction({
  summary: 'Find an artifact of the OpenID provider',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ kind: z.enum(artifactKinds), hash: tokenHashInput }) },
  output: z.strictObject({ artifact: artifactOutput }),
  async handler({ body: { kind, hash } }) {
    return { artifact: toArtifactResponse(await findLiveArtifact(kind, hash)) };
  },
});

/** `identity.oauth.artifacts.find-by-uid`: the session of the provider's whose second identifier has this hash. */
export const findArtifactByUid = defineAction({
  summary: 'Find a session of the OpenID provider',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ kind: z.enum(artifactKinds), uid: tokenHashInput }) },
  output: z.strictObject({ artifact: artifactOutput }),
  async handler({ body: { kind, uid } }) {
    const filter = { uid, kind, expiresAt: { $gt: now() } };
    return { artifact: toArtifactResponse(await OAuthArtifactModel.findOne(filter).lean<OAuthArtifactDocument>()) };
  },
});

function toArtifactResponse(artifact: OAuthArtifactDocument | null): z.input<typeof artifactOutput> {
  if (!artifact) return null;
  return { sealed: artifact.sealed, isConsumed: artifact.consumedAt !== null && !isInGrace(artifact) };
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.oauth.artifacts.find': typeof findArtifact;
    'identity.oauth.artifacts.find-by-uid': typeof findArtifactByUid;
  }
}
