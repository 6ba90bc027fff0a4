import { z } from 'zod';
import { defineProvider, type ProviderContext, ProviderError } from './provider.ts';

/**
 * The action by which the inbox of a website takes a message, idempotent by `notificationId`. The connect service has it:
 * `{ body: { orgId, notificationId, siteId?, visitorId, text } }` answers `{ messageId }`.
 */
const notifyAction = 'connect.messages.notify';

/** The inbox of the organization's website. Recipients are visitors, or the customers whom the website identified. */
export const web = defineProvider({
  channels: ['web'],
  credentials: z.strictObject({
    siteId: z.string().max(64).optional(),
  }),
  perSecond: 100,
  addressOf: (recipient) => (recipient.length <= 256 ? recipient : null),
  problem: (context) =>
    isThere(context) ? null : 'The website inbox is not part of this platform: no service has it.',
  verify: () => Promise.resolve(),
  async send({ orgId, notificationId, recipient, text }, { siteId }, context) {
    if (!isThere(context)) throw new ProviderError('unreachable', 'The website inbox cannot be reached right now.');
    const body = { orgId, notificationId, visitorId: recipient, text, ...(siteId !== undefined && { siteId }) };
    const { messageId } = await context.broker.call<{ messageId: string }, object>(notifyAction, { body });
    return { providerMessageId: messageId };
  },
});

function isThere({ broker }: ProviderContext): boolean {
  return broker.findNextActionEndpoint(notifyAction) instanceof Error === false;
}
