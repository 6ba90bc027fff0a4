import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { isError } from '../../../lib/errors.ts';
import { storeOf } from '../store/access-store.ts';
import { idInput } from './memberships.ts';

/** `access.subjects.remove`: removes all assignments of a deleted subject, such as an application. */
export const removeSubject = defineAction({
  summary: 'Remove a subject from an organization',
  permission: 'internal',
  input: { body: z.strictObject({ orgId: idInput, subject: idInput }) },
  output: z.strictObject({}),
  async handler({ body: { orgId, subject }, ctx }) {
    const removing = storeOf(ctx).change(ctx, orgId, (graph) => {
      const isThere = graph.assignments(subject).length > 0;
      return { change: isThere ? { kind: 'subjectRemoved', subject } : null, result: null };
    });
    await removing.catch((error) => {
      // A deleted organization has no assignments left.
      if (!isError(error, 'NOT_FOUND')) throw error;
    });
    return {};
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.subjects.remove': typeof removeSubject;
  }
}
