import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { changeUser } from '../users/change-user.ts';
import { addressPath, exampleAddress, findAddress, recordAddressAct } from './addresses.ts';

/** DELETE /identity/me/addresses/:addressId: removes an address. */
export const removeAddress = defineAction({
  rest: 'DELETE /identity/me/addresses/:addressId',
  summary: 'Remove an address',
  permission: 'session',
  input: { path: addressPath },
  output: z.void(),
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: { path: { addressId: exampleAddress.addressId } },
  async handler({ path: { addressId }, caller, ctx }) {
    await changeUser(caller.id, ({ addresses }) => {
      const removed = findAddress(addresses, addressId);
      return { addresses: addresses.filter((address) => address !== removed) };
    });
    await recordAddressAct(ctx, 'address.removed', caller.id, { addressId });
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.addresses.remove': typeof removeAddress;
  }
}
