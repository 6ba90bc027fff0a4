import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { declaredKeys, platformPermission } from '../../../lib/permissions.ts';

/** `access.permissions.declared`, for starting nodes: the permissions of services, including absent ones. */
export const listDeclaredPermissions = defineAction({
  summary: 'List the permissions that services declare',
  permission: 'internal',
  safe: true,
  input: {},
  output: z.strictObject({
    permissions: z.array(z.strictObject({ key: z.string(), reads: z.boolean(), description: z.string() })),
  }),
  handler() {
    const permissions = [...declaredKeys()].flatMap((key) => {
      const info = platformPermission(key);
      return info ? [{ key, reads: info.reads, description: info.description }] : [];
    });
    return { permissions };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.permissions.declared': typeof listDeclaredPermissions;
  }
}
