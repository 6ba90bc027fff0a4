import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { idInput } from '../memberships/memberships.ts';
import { storeOf } from '../store/access-store.ts';

/** `access.organizations.found`: creates an organization's access with its first owner. Idempotent. */
export const initializeOrganization = defineAction({
  summary: 'Begin the access of an organization',
  permission: 'internal',
  input: { body: z.strictObject({ orgId: idInput, userId: idInput }) },
  output: z.strictObject({ revision: z.int() }),
  errors: ['CONFLICT'],
  handler: ({ body: { orgId, userId }, ctx }) => storeOf(ctx).found(ctx, orgId, userId),
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.organizations.found': typeof initializeOrganization;
  }
}
