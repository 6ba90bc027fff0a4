import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import { apiError, inputError } from '../../../lib/errors.ts';
import { beginDeletion, runDeletion, runInBackground } from '../deletions/deletions.ts';
import { lastUrgentStep } from '../deletions/steps.ts';
import { exampleOrganization, findOrganization, organizationPath, orgIdOfSlug, roleOf } from './organizations.ts';

/**
 * DELETE /organizations/:slug?confirm=<slug>: deletes an organization with all its data; only an owner who repeats its
 * slug can. It is inaccessible after the first steps, which this answer waits for. The rest is removed step by step,
 * after a crash by the sweep. The slug stays taken and the audit log is kept.
 */
export const deleteOrganization = defineAction({
  rest: 'DELETE /organizations/:slug',
  summary: 'Delete an organization with everything in it',
  permission: 'session',
  organization: ({ path }) => orgIdOfSlug(path.slug),
  input: { path: organizationPath, query: z.strictObject({ confirm: z.string().optional() }) },
  output: z.strictObject({ status: z.literal('deleting') }),
  status: 202,
  errors: ['NOT_FOUND', 'OWNER_REQUIRED'],
  example: {
    path: { slug: exampleOrganization.slug },
    query: { confirm: exampleOrganization.slug },
    output: { status: 'deleting' },
  },
  async handler({ path: { slug }, query: { confirm }, caller, ctx }) {
    if (roleOf(caller) !== 'owner') throw apiError('OWNER_REQUIRED');
    if (confirm !== slug) {
      throw inputError([{ path: 'query.confirm', message: 'Must be the slug of the organization.' }]);
    }
    const { _id: orgId, name } = await findOrganization(caller.orgId ?? '');
    const deletion = await beginDeletion({ _id: orgId, kind: 'organization', orgId });
    if (!deletion) return { status: 'deleting' as const };
    await recordAuditEvent(ctx, {
      action: 'organization.deleted',
      orgId,
      target: { type: 'organization', id: orgId },
      before: { slug, name },
    });
    await runDeletion(ctx, deletion, lastUrgentStep);
    runInBackground(ctx.broker, deletion);
    return { status: 'deleting' as const };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.organizations.delete': typeof deleteOrganization;
  }
}
