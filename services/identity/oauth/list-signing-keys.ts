import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { readSigningKeys } from './signing-keys.ts';

/** `identity.oauth.signing-keys`, for gateways: the keys to publish, the newest last, the private ones sealed. */
export const listSigningKeys = defineAction({
  summary: 'List the signing keys',
  permission: 'internal',
  safe: true,
  input: {},
  output: z.strictObject({
    keys: z.array(z.strictObject({ kid: z.string(), sealed: z.string(), signsFrom: z.string() })),
  }),
  async handler() {
    const keys = await readSigningKeys();
    return {
      keys: keys.map(({ _id, sealed, signsFrom }) => ({ kid: _id, sealed, signsFrom: signsFrom.toISOString() })),
    };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.oauth.signing-keys': typeof listSigningKeys;
  }
}
