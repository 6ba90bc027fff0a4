import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { findMailedToken, tokenTyped } from './mailed-tokens.ts';

/** `identity.accounts.check-recovery`, for the page behind the mailed link: whether the link can set a password. */
export const checkRecovery = defineAction({
  summary: 'Check whether a link for choosing a new password still works',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ token: tokenTyped }) },
  output: z.strictObject({ valid: z.boolean() }),
  handler: async ({ body: { token } }) => ({ valid: (await findMailedToken('recovery', token)) !== null }),
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.accounts.check-recovery': typeof checkRecovery;
  }
}
