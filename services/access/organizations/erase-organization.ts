import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { idInput } from '../memberships/memberships.ts';
import { storeOf } from '../store/access-store.ts';

/** `access.organizations.erase`: removes the data of a closed organization. */
export const eraseOrganization = defineAction({
  summary: 'Erase the access of a closed organization',
  permission: 'internal',
  input: { body: z.strictObject({ orgId: idInput }) },
  output: z.strictObject({ isComplete: z.boolean() }),
  async handler({ body: { orgId }, ctx }) {
    await storeOf(ctx).erase(orgId);
    return { isComplete: true };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.organizations.erase': typeof eraseOrganization;
  }
}
