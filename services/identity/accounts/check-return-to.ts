import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { isAllowedReturnTo } from './allowed-return-to.ts';

/** `identity.accounts.check-return-to`, for pages: whether a browser may be sent to this address when they are done. */
export const checkReturnTo = defineAction({
  summary: 'Find out whether a browser may be sent to an address',
  permission: 'internal',
  input: { body: z.strictObject({ url: z.string() }) },
  output: z.strictObject({ allowed: z.boolean() }),
  handler: async ({ body: { url } }) => ({ allowed: await isAllowedReturnTo(url) }),
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.accounts.check-return-to': typeof checkReturnTo;
  }
}
