import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { fromNow, now, second } from '../../../lib/clock.ts';
import { apiError } from '../../../lib/errors.ts';
import { insertIfAbsent } from '../../../lib/insert-unless-there.ts';
import { tokenHashInput } from '../../../lib/token-hash.ts';
import {
  artifactId,
  artifactKinds,
  type OAuthArtifactDocument,
  OAuthArtifactModel,
} from '../../../models/identity/oauth-artifact.ts';
import { SessionModel } from '../../../models/identity/session.ts';

/** These are updated; the others are written once, so that a used or removed one is not restored. */
const changing = new Set(['Session', 'Interaction']);

/** `identity.oauth.artifacts.upsert`, for the OpenID provider in the gateway: stores an artifact. */
export const upsertArtifact = defineAction({
  summary: 'Store an artifact of the OpenID provider',
  permission: 'internal',
  input: {
    body: z.strictObject({
      kind: z.enum(artifactKinds),
      hash: tokenHashInput,
      uid: tokenHashInput.nullable(),
      grantId: tokenHashInput.nullable(),
      accountId: z.string().nullable(),
      clientId: z.string().nullable(),
      sessionId: z.string().nullable(),
      /** The session of the platform in which a grant is made, also for a grant that outlives it. */
      madeInSessionId: z.string().nullable().default(null),
      sealed: z.string(),
      expiresInSeconds: z.int().positive(),
    }),
  },
  output: z.void(),
  errors: ['CREDENTIAL_INVALID'],
  async handler({ body: { hash, expiresInSeconds, madeInSessionId, ...body } }) {
    const _id = artifactId(body.kind, hash);
    const document = { ...body, expiresAt: fromNow(expiresInSeconds * second) };
    const artifact = { _id, ...document, consumedAt: null, createdAt: now() };
    if (await insertIfAbsent<OAuthArtifactDocument>(OAuthArtifactModel, artifact)) {
      return await removeIfOrphan(artifact, madeInSessionId);
    }
    if (!changing.has(body.kind)) return;
    await OAuthArtifactModel.updateOne({ _id }, { $set: document });
  },
});

/**
 * A grant that outlives its session must not be made after the session has ended: the change that ended it, such as a
 * new password, has removed the existing grants, and has not seen this one.
 */
async function removeIfOrphan({ _id }: OAuthArtifactDocument, sessionId: string | null): Promise<void> {
  if (sessionId === null || (await SessionModel.exists({ _id: sessionId }))) return;
  await OAuthArtifactModel.deleteOne({ _id });
  throw apiError('CREDENTIAL_INVALID');
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.oauth.artifacts.upsert': typeof upsertArtifact;
  }
}
