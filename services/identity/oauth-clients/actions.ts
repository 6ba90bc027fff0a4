import { createOAuthClient } from './create-oauth-client.ts';
import { deleteOAuthClient } from './delete-oauth-client.ts';
import { markFirstParty, markThirdParty } from './first-party.ts';
import { listRedirectOrigins } from './list-redirect-origins.ts';
import { readOAuthClient } from './read-oauth-client.ts';

export const oauthClientActions = {
  'oauth-clients.create': createOAuthClient,
  'oauth-clients.read': readOAuthClient,
  'oauth-clients.delete': deleteOAuthClient,
  'oauth.redirect-origins': listRedirectOrigins,
  'console.first-party': markFirstParty,
  'console.third-party': markThirdParty,
};
