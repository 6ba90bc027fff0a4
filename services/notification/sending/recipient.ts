import type { Context } from 'moleculer';
import { type CallOutput, call } from '../../../lib/calls.ts';
import { failInput } from '../../../lib/errors.ts';
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

/**
 * The addresses of a recipient: those of the customer with this id, else the text itself.
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
        ? 'You have no customer of this id.'
        : `No provider that the channel ${channel} is connected to takes this recipient.`;
  throw failInput([{ path: 'body.recipientId', message }]);
}
