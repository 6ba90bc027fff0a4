import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import type { Ctx } from '../../../lib/caller.ts';
import { apiError } from '../../../lib/errors.ts';
import type { Operation } from '../../../lib/operation.ts';
import type { Address } from '../../../models/identity/user.ts';
import { changeUser } from '../users/change-user.ts';
import { readCurrentUser } from '../users/current-user.ts';
import {
  addressFields,
  addressOutput,
  exampleAddress,
  exampleAddressFields,
  findAddress,
  maxAddresses,
  recordAddressAct,
  toAddressResponse,
} from './addresses.ts';

/** POST /identity/me/addresses: adds an address. `state` and `postalCode` may be omitted for countries without them. */
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
  idempotent: {
    async resume({ caller, operation, ctx }) {
      const { addresses } = await readCurrentUser(caller.id);
      const address = addresses.find(({ addressId }) => addressId === operation.newId('adr'));
      return address ? await complete(ctx, operation, caller.id, address) : null;
    },
  },
  example: { body: exampleAddressFields, output: exampleAddress },
  async handler({ body, caller, operation, ctx }) {
    const addressId = operation.newId('adr');
    const { after } = await changeUser(caller.id, ({ addresses }, at) => {
      if (addresses.some((address) => address.addressId === addressId)) return {};
      refuseTooMany(addresses);
      return { addresses: [...addresses, { addressId, ...body, createdAt: at, updatedAt: at }] };
    });
    return await complete(ctx, operation, caller.id, findAddress(after.addresses, addressId));
  },
});

/** Completes the operation after the change of the user. Idempotent. */
async function complete(ctx: Ctx, operation: Operation, userId: string, address: Address) {
  const { addressId, type } = address;
  await recordAddressAct(ctx, 'address.created', userId, { id: operation.newId('aud'), addressId, after: { type } });
  return toAddressResponse(address);
}

function refuseTooMany(addresses: Address[]): void {
  if (addresses.length < maxAddresses) return;
  throw apiError('LIMIT_REACHED', { message: `You have ${maxAddresses} addresses already; remove one first.` });
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.addresses.create': typeof createAddress;
  }
}
