import { defineAction } from '../../../lib/action.ts';
import { applicationSlugPath, findApplication } from '../applications/applications.ts';
import { exampleOAuthClient, findClientOf, oauthClientOutput, toOAuthClientResponse } from './oauth-clients.ts';

/** GET /applications/:slug/oauth-client: the application's OAuth client, without its secret. */
export const readOAuthClient = defineAction({
  rest: 'GET /applications/:slug/oauth-client',
  summary: "Read an application's OAuth client",
  permission: 'console.apps.read',
  input: { path: applicationSlugPath },
  output: oauthClientOutput,
  errors: ['NOT_FOUND'],
  example: { path: { slug: 'shop-backend' }, output: exampleOAuthClient },
  async handler({ path: { slug }, caller: { orgId } }) {
    const { _id } = await findApplication(orgId, slug);
    return toOAuthClientResponse(await findClientOf(orgId, _id));
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.oauth-clients.read': typeof readOAuthClient;
  }
}
