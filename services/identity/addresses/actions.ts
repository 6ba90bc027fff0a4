import { createAddress } from './create-address.ts';
import { listAddresses } from './list-addresses.ts';
import { removeAddress } from './remove-address.ts';
import { updateAddress } from './update-address.ts';

export const addressActions = {
  'addresses.list': listAddresses,
  'addresses.create': createAddress,
  'addresses.update': updateAddress,
  'addresses.remove': removeAddress,
};
