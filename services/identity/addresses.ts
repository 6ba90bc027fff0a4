import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import type { Ctx } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../lib/contract/examples.ts';
import type { Operation } from '../../lib/contract/idempotency.ts';
import { optionalLine, pageOf, pageQuery, pathId, singleLine, timestamp } from '../../lib/contract/input.ts';
import { type Address, addressTypes } from '../../models/identity/user.ts';
import { changeUser, listParts, readCurrentUser } from './users.ts';

/** The officially assigned two-letter codes of ISO 3166-1. */
export const countries: ReadonlySet<string> = new Set(
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
  CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR
  GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP
  KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT
  MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW
  SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ
  UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`.split(/\s+/),
);

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
  type: z.enum(addressTypes).describe('What the address is for.'),
  addressLine: singleLine(maxLineLength),
  city: singleLine(maxPlaceLength),
  state: optionalLine(maxPlaceLength)
    .nullable()
    .transform(emptyWhenNull)
    .describe('The state or province; null or empty for countries without them.'),
  postalCode: optionalLine(maxPostalCodeLength).nullable().transform(emptyWhenNull),
  country,
};

/** An address as its owner sees it. */
export const addressOutput = z
  .strictObject({
    addressId: z.string(),
    type: z.enum(addressTypes).describe('What the address is for.'),
    addressLine: z.string(),
    city: z.string(),
    state: z.string().describe('The state or province; empty for countries without them.'),
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

/** POST /identity/me/addresses: adds an address. `state` and `postalCode` may be omitted for countries without them. */
export const createAddress = defineAction({
  rest: 'POST /identity/me/addresses',
  summary: 'Add an address',
  description:
    "Adds an address to the user's account. `state` and `postalCode` may be omitted for countries without them. A " +
    'user has at most 50 addresses (`LIMIT_REACHED`).',
  permission: 'session',
  input: {
    body: z
      .strictObject({
        ...addressFields,
        state: addressFields.state.default(''),
        postalCode: addressFields.postalCode.default(''),
      })
      .meta({ id: 'AddressInput' }),
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
      rejectTooMany(addresses);
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

function rejectTooMany(addresses: Address[]): void {
  if (addresses.length < maxAddresses) return;
  throw apiError('LIMIT_REACHED', { message: `You have ${maxAddresses} addresses already; remove one first.` });
}

/** GET /identity/me/addresses: the addresses of the current user, the oldest first. */
export const listAddresses = defineAction({
  rest: 'GET /identity/me/addresses',
  summary: 'List your addresses',
  description: 'Returns the addresses of the user, the oldest first.',
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

/** DELETE /identity/me/addresses/:addressId: removes an address. */
export const removeAddress = defineAction({
  rest: 'DELETE /identity/me/addresses/:addressId',
  summary: 'Remove an address',
  description: "Removes an address from the user's account. A removed address is `NOT_FOUND` from then on.",
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

const addressChange = z.strictObject(addressFields).partial().meta({ id: 'AddressUpdateInput' });
const fieldNames = Object.keys(addressFields) as (keyof typeof addressFields)[];

/**
 * PATCH /identity/me/addresses/:addressId: changes the fields that the body names; null empties `state` and
 * `postalCode`. A body that names none changes nothing.
 */
export const updateAddress = defineAction({
  rest: 'PATCH /identity/me/addresses/:addressId',
  summary: 'Change an address',
  description:
    'Changes the fields that the body names; null empties `state` and `postalCode`. A body without fields changes ' +
    'nothing.',
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
