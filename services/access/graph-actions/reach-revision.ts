import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { idInput } from '../memberships/memberships.ts';
import { storeOf } from '../store/access-store.ts';

/** A little less than the caller's timeout. */
export const maxWait = 240;

/** `access.graph.reach`: waits until this node has a revision of an organization; returns whether it has. */
export const waitForRevision = defineAction({
  summary: 'Know a revision of an organization',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ orgId: idInput, revision: z.int().min(1) }) },
  output: z.strictObject({ reached: z.boolean() }),
  async handler({ body: { orgId, revision }, ctx }) {
    return { reached: await storeOf(ctx).reach(orgId, revision, maxWait) };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.graph.reach': typeof waitForRevision;
  }
}
