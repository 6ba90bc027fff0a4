import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { fail } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import type { Address } from '../../../models/identity/user.ts';
import { changeUser } from '../users/change-user.ts';
import { addressesMax, addressFields, addressOutput, findAddress, recordAddressAct, showAddress } from './addresses.ts';

/** POST /identity/me/addresses: adds an address. `state` and `postalCode` may be left out where there are none. */
export const createAddress = defineAction({
  rest: 'POST /identity/me/addresses',
  summary: 'Add an address',
  permission: 'session',
  input: {
    body: z.strictObject({
      ...addressFields,
      state: addressFields.state.default(''),
      postalCode: addressFields.postalCode.default(''),
    }),
  },
  output: addressOutput,
  status: 201,
  errors: ['LIMIT_REACHED', 'CONFLICT'],
  idempotent: true,
  async handler({ body, caller, ctx }) {
    const addressId = newId('adr');
    const { after } = await changeUser(caller.id, ({ addresses }, at) => {
      refuseTooMany(addresses);
      return { addresses: [...addresses, { addressId, ...body, createdAt: at, updatedAt: at }] };
    });
    await recordAddressAct(ctx, 'address.created', caller.id, { addressId, after: { type: body.type } });
    return showAddress(findAddress(after.addresses, addressId));
  },
});

function refuseTooMany(addresses: Address[]): void {
  if (addresses.length < addressesMax) return;
  throw fail('LIMIT_REACHED', { message: `You have ${addressesMax} addresses already; remove one first.` });
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.addresses.create': typeof createAddress;
  }
}
