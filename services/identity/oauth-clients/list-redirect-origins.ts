import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { OAuthClientModel } from '../../../models/identity/oauth-client.ts';

/**
 * `identity.oauth.redirect-origins`, for services: the origins of the redirect URIs of an organization's OAuth clients.
 */
export const listRedirectOrigins = defineAction({
  summary: "List the origins of an organization's OAuth clients",
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ orgId: z.string() }) },
  output: z.strictObject({ origins: z.array(z.string()) }),
  handler: async ({ body: { orgId } }) => ({ origins: await OAuthClientModel.distinct('redirectOrigins', { orgId }) }),
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.oauth.redirect-origins': typeof listRedirectOrigins;
  }
}
