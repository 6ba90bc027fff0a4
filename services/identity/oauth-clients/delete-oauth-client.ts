import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import { applicationSlugPath, findApplication } from '../applications/applications.ts';
import { auditedFields, findClientOf } from './oauth-clients.ts';
import { removeOAuthClients } from './remove-clients.ts';

/** DELETE /applications/:slug/oauth-client: removes the client and revokes its grants. */
export const deleteOAuthClient = defineAction({
  rest: 'DELETE /applications/:slug/oauth-client',
  summary: "Delete an application's OAuth client",
  permission: 'console.apps.write',
  input: { path: applicationSlugPath },
  output: z.void(),
  errors: ['NOT_FOUND'],
  example: { path: { slug: 'shop-backend' } },
  async handler({ path: { slug }, caller: { orgId }, ctx }) {
    const { _id: applicationId } = await findApplication(orgId, slug);
    const client = await findClientOf(orgId, applicationId);
    await removeOAuthClients(ctx, { orgId, applicationId });
    await recordAuditEvent(ctx, {
      action: 'oauth-client.deleted',
      orgId,
      target: { type: 'oauth-client', id: client._id },
      before: auditedFields(client),
    });
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.oauth-clients.delete': typeof deleteOAuthClient;
  }
}
