import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import type { Address } from '../../../models/identity/user.ts';
import { changeUser } from '../users/change-user.ts';
import {
  addressFields,
  addressOutput,
  addressPath,
  exampleAddress,
  findAddress,
  recordAddressAct,
  toAddressResponse,
} from './addresses.ts';

const addressChange = z.strictObject(addressFields).partial();
const fieldNames = Object.keys(addressFields) as (keyof typeof addressFields)[];

/**
 * PATCH /identity/me/addresses/:addressId: changes the fields that the body names; null empties `state` and
 * `postalCode`. A body that names none changes nothing.
 */
export const updateAddress = defineAction({
  rest: 'PATCH /identity/me/addresses/:addressId',
  summary: 'Change an address',
  permission: 'session',
  input: { path: addressPath, body: addressChange },
  output: addressOutput,
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: {
    path: { addressId: exampleAddress.addressId },
    body: { addressLine: 'Lindenstrasse 14' },
    output: { ...exampleAddress, addressLine: 'Lindenstrasse 14', updatedAt: '2026-03-05T14:00:00.000Z' },
  },
  async handler({ path: { addressId }, body, caller, ctx }) {
    const sent = Object.fromEntries(Object.entries(body)) as Partial<Address>;
    const { before, after } = await changeUser(caller.id, ({ addresses }, updatedAt) => {
      const previous = findAddress(addresses, addressId);
      const changed = { ...previous, ...sent, updatedAt };
      if (changedFields(previous, changed).length === 0) return {};
      return { addresses: addresses.map((address) => (address === previous ? changed : address)) };
    });
    const address = findAddress(after.addresses, addressId);
    const fields = changedFields(findAddress(before.addresses, addressId), address);
    if (fields.length > 0) await recordAddressAct(ctx, 'address.updated', caller.id, { addressId, after: { fields } });
    return toAddressResponse(address);
  },
});

function changedFields(previous: Address, changed: Address): string[] {
  return fieldNames.filter((field) => previous[field] !== changed[field]);
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.addresses.update': typeof updateAddress;
  }
}
