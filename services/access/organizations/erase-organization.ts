import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { idInput } from '../memberships/memberships.ts';
import { storeOf } from '../store/access-store.ts';

/**
 * `access.organizations.erase`: removes the data of a closed organization. Works in parts: call it until it is complete.
 */
export const eraseOrganization = defineAction({
  summary: 'Erase the access of a closed organization',
  permission: 'internal',
  input: { body: z.strictObject({ orgId: idInput }) },
  output: z.strictObject({ isComplete: z.boolean() }),
  async handler({ body: { orgId }, ctx }) {
    return { isComplete: await storeOf(ctx).erase(orgId) };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.organizations.erase': typeof eraseOrganization;
  }
}
