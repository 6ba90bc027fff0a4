import { z } from 'zod';
import { recordAuditEvent } from '../../../lib/audit.ts';
import type { Ctx } from '../../../lib/caller.ts';
import { apiError } from '../../../lib/errors.ts';
import { exampleId, exampleInstant } from '../../../lib/examples.ts';
import { timestamp } from '../../../lib/instant.ts';
import { pathId } from '../../../lib/path-text.ts';
import { optionalLine, singleLine } from '../../../lib/text.ts';
import { type Address, addressTypes } from '../../../models/identity/user.ts';
import { countries } from './countries.ts';

export const maxAddresses = 50;

const maxLineLength = 500;
const maxPlaceLength = 100;
const maxPostalCodeLength = 20;

/** Any text is accepted in the path: one that names none of the user's addresses is 404, never 400. */
export const addressPath = z.strictObject({ addressId: pathId('adr') });

const country = z
  .string()
  .trim()
  .toUpperCase()
  .refine((code) => countries.has(code), 'Must be a two-letter country code of ISO 3166, such as DE.');

const emptyWhenNull = (text: string | null): string => text ?? '';

/** The fields of an address. `state` and `postalCode` accept null and store it as `''`: not every country has them. */
export const addressFields = {
  type: z.enum(addressTypes),
  addressLine: singleLine(maxLineLength),
  city: singleLine(maxPlaceLength),
  state: optionalLine(maxPlaceLength).nullable().transform(emptyWhenNull),
  postalCode: optionalLine(maxPostalCodeLength).nullable().transform(emptyWhenNull),
  country,
};

/** An address as its owner sees it. */
export const addressOutput = z
  .strictObject({
    addressId: z.string(),
    type: z.enum(addressTypes),
    addressLine: z.string(),
    city: z.string(),
    state: z.string(),
    postalCode: z.string(),
    country: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Address' });

export const exampleAddressFields = {
  type: 'billing',
  addressLine: 'Lindenstrasse 12',
  city: 'Berlin',
  state: 'Berlin',
  postalCode: '10969',
  country: 'DE',
} as const;

export const exampleAddress = {
  addressId: exampleId('adr'),
  ...exampleAddressFields,
  createdAt: exampleInstant,
  updatedAt: exampleInstant,
} satisfies z.input<typeof addressOutput>;

export function toAddressResponse({ createdAt, updatedAt, ...address }: Address): z.output<typeof addressOutput> {
  return { ...address, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}

/** The address with this id; throws NOT_FOUND when the user has no such address, also if another user has. */
export function findAddress(addresses: readonly Address[], addressId: string): Address {
  const found = addresses.find((address) => address.addressId === addressId);
  if (!found) throw apiError('NOT_FOUND', { message: 'You have no such address.' });
  return found;
}

type AddressAct = { id?: string; addressId: string; after?: { type?: Address['type']; fields?: string[] } };

/**
 * The record of an address holds its type and the names of the changed fields only: where a person lives is private.
 */
export async function recordAddressAct(
  ctx: Ctx,
  action: 'address.created' | 'address.updated' | 'address.removed',
  userId: string,
  { addressId, ...act }: AddressAct,
): Promise<void> {
  await recordAuditEvent(ctx, { action, userId, target: { type: 'address', id: addressId }, ...act });
}
