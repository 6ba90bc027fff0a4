import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { pageOf, pageQuery } from '../../../lib/page.ts';
import { readCurrentUser } from '../users/current-user.ts';
import { listParts } from '../users/list-parts.ts';
import { addressOutput, exampleAddress, toAddressResponse } from './addresses.ts';

/** GET /identity/me/addresses: the addresses of the current user, the oldest first. */
export const listAddresses = defineAction({
  rest: 'GET /identity/me/addresses',
  summary: 'List your addresses',
  permission: 'user',
  input: { query: z.strictObject(pageQuery) },
  output: pageOf(addressOutput),
  errors: ['CURSOR_INVALID'],
  example: {
    query: { limit: '20' },
    output: { data: [exampleAddress], nextCursor: null },
  },
  async handler({ query, caller }) {
    const { addresses } = await readCurrentUser(caller.id);
    return listParts(addresses, ({ addressId }) => addressId, query, toAddressResponse);
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.addresses.list': typeof listAddresses;
  }
}
