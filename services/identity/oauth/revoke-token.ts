import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { isDuplicateKey } from '../../../lib/database-errors.ts';
import { nativeCollection } from '../../../lib/native-collection.ts';
import {
  type OAuthRevokedTokenDocument,
  OAuthRevokedTokenModel,
} from '../../../models/identity/oauth-revoked-token.ts';
import { publishCredentialChange } from '../announce.ts';

/** `identity.tokens.revoke`, for the gateway: revokes an access token. Idempotent. */
export const revokeToken = defineAction({
  summary: 'Revoke an access token',
  permission: 'internal',
  input: { body: z.strictObject({ jti: z.string(), clientId: z.string(), expiresAt: z.iso.datetime() }) },
  output: z.void(),
  async handler({ body: { jti, clientId, expiresAt }, ctx }) {
    const document = { _id: jti, expiresAt: new Date(expiresAt) };
    try {
      await nativeCollection<OAuthRevokedTokenDocument>(OAuthRevokedTokenModel).insertOne(document);
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
    await publishCredentialChange(ctx, { clientId });
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.tokens.revoke': typeof revokeToken;
  }
}
