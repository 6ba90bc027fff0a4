import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { now } from '../../../lib/clock.ts';
import { grantTypes, tokenEndpointAuthMethods } from '../../../models/identity/oauth-client.ts';
import { findLiveClient } from './clients.ts';

const texts = z.array(z.string());

/** `identity.oauth.clients.find`, for the gateway: a client with the hashes of its secrets in force, or null. */
export const findClient = defineAction({
  summary: 'Find an OAuth client',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ clientId: z.string() }) },
  output: z.strictObject({
    client: z
      .strictObject({
        clientId: z.string(),
        orgId: z.string(),
        applicationName: z.string(),
        organizationName: z.string(),
        grantTypes: z.array(z.enum(grantTypes)),
        redirectUris: texts,
        postLogoutRedirectUris: texts,
        redirectOrigins: texts,
        scopes: texts,
        tokenEndpointAuthMethod: z.enum(tokenEndpointAuthMethods),
        secretHashes: texts,
        isFirstParty: z.boolean(),
        isTrusted: z.boolean(),
      })
      .nullable(),
  }),
  async handler({ body: { clientId } }) {
    const found = await findLiveClient(clientId);
    if (!found) return { client: null };
    const { _id, applicationId, secrets, operations, isFirstParty = false, createdAt, updatedAt, ...client } = found;
    const inForce = secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now());
    const secretHashes = inForce.map(({ hash }) => hash);
    return { client: { ...client, clientId: _id, secretHashes, isFirstParty } };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.oauth.clients.find': typeof findClient;
  }
}
