import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import { beginDeletion, runDeletion } from '../deletions/deletions.ts';
import { applicationSlugPath, exampleApplication, findApplication } from './applications.ts';

/**
 * DELETE /applications/:slug: deletes an application, its OAuth client with its grants, and revokes its API keys,
 * possibly including the key of the request. The sweep completes a deletion that a crash interrupted.
 */
export const deleteApplication = defineAction({
  rest: 'DELETE /applications/:slug',
  summary: 'Delete an application',
  permission: 'console.apps.write',
  input: { path: applicationSlugPath },
  output: z.void(),
  errors: ['NOT_FOUND'],
  example: { path: { slug: exampleApplication.slug } },
  async handler({ path: { slug }, caller: { orgId }, ctx }) {
    const { _id, name, description } = await findApplication(orgId, slug);
    const deletion = await beginDeletion({ _id, kind: 'application', orgId });
    // A concurrent request deletes it already.
    if (!deletion) return;
    await recordAuditEvent(ctx, {
      action: 'application.deleted',
      orgId,
      target: { type: 'application', id: _id },
      before: { slug, name, description },
    });
    await runDeletion(ctx, deletion);
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.applications.delete': typeof deleteApplication;
  }
}
