import type { Context } from 'moleculer';
import { type CallOutput, call } from '../../../lib/calls.ts';
import { normalizeEmail, storedEmails } from '../../../lib/email-address.ts';
import { inputError } from '../../../lib/errors.ts';
import { parsePhoneNumber, plainPhone, toE164 } from '../../../lib/phone-number.ts';
import type { Channel, ConnectionDocument } from '../../../models/notification/connection.ts';
import { providerOf } from '../providers/providers.ts';

type Contact = NonNullable<CallOutput<'context.customers.contact'>['contact']>;

/** Which identifiers of a customer are addresses on a channel, the likeliest first. */
const addressesOn: Record<Channel, (contact: Contact) => string[]> = {
  phone: ({ phones }) => phones,
  email: ({ emails }) => emails,
  chatapp: ({ phones, ids }) => [...phones, ...ids],
  photoapp: ({ ids }) => ids,
  socialapp: ({ ids }) => ids,
  microblog: ({ ids }) => ids,
  web: ({ ids }) => ids,
};

/** Digits with the separators that people type. */
const typedPhone = /^\+?[\d ()./\p{Pd}]{5,40}$/u;

/**
 * The keys of recipients: each text as it was typed, the normal form of an email address, and the digits of a telephone
 * number without prefix. They are stored with a notification, so that an erasure finds it by a normalized identifier.
 */
export function recipientKeys(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => [text, ...normalForms(text.trim())]))];
}

function normalForms(text: string): string[] {
  if (text.includes('@')) return [normalizeEmail(text)];
  const plain = plainPhone(text);
  if (!typedPhone.test(plain)) return [text];
  // A country code may be followed by the trunk prefix in brackets, which is not part of the number.
  const digits = (toE164(plain) ?? plain).replace(/\D/g, '').replace(/^0+/, '');
  return [phoneKey(digits)];
}

const phoneKey = (digits: string): string => `tel:${digits}`;

/** The keys by which a notification to the owner of a customer's identifier, such as `email:jean@example.com`, is found. */
export function keysOfIdentifier(identifier: string): string[] {
  const value = identifier.slice(identifier.indexOf(':') + 1);
  if (identifier.startsWith('email:')) return recipientKeys([value, ...storedEmails(value)]);
  if (!identifier.startsWith('phone:')) return recipientKeys([value]);
  const national = parsePhoneNumber(value)?.nationalNumber;
  // A number may be typed without its country code, and an old notification has it without its plus sign.
  return [value, value.slice(1), phoneKey(value.slice(1)), ...(national ? [phoneKey(national)] : [])];
}

/**
 * The addresses of a recipient: the addresses of the customer with this id, otherwise the text itself.
 *
 * @throws INPUT_INVALID naming `body.recipientId` when no connection of the channel can reach it; UNAVAILABLE.
 */
export async function addressesOf(
  ctx: Context,
  { orgId, channel, recipientId }: { orgId: string; channel: Channel; recipientId: string },
  connections: ConnectionDocument[],
): Promise<string[]> {
  const { contact } = await call(ctx, 'context.customers.contact', { body: { orgId, customerId: recipientId } });
  const isCustomer = contact !== null || /^cus_\w+$/.test(recipientId);
  const candidates = contact === null ? (isCustomer ? [] : [recipientId]) : addressesOn[channel](contact);
  const isUsable = (address: string) =>
    connections.some(({ provider }) => providerOf(provider).addressOf(address) !== null);
  const usable = candidates.filter(isUsable);
  if (usable.length > 0) return usable;
  const message =
    contact !== null
      ? `The customer has no identifier that is an address on the channel ${channel}.`
      : isCustomer
        ? 'No customer has this id.'
        : `No provider that the channel ${channel} is connected to takes this recipient.`;
  throw inputError([{ path: 'body.recipientId', message }]);
}
