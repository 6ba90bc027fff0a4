import { z } from 'zod';
import { call } from '../../../lib/contract/context.ts';
import { errorCatalogue, errorCode } from '../../../lib/contract/errors.ts';
import { defineProvider, type ProviderContext, ProviderError } from './provider.ts';

/** The action by which connect takes a message, idempotent by its key. */
const notifyAction = 'connect.messages.notify';

/** The inbox of the organization's website. Recipients are visitors, or the customers whom the website identified. */
export const web = defineProvider({
  channels: ['web'],
  credentials: z.strictObject({
    siteId: z
      .string()
      .max(64)
      .optional()
      .describe('The website on which new conversations begin; by default the first one.'),
  }),
  perSecond: 100,
  addressOf: (recipient) => (recipient.length <= 256 ? recipient : null),
  problem: (context) => (isThere(context) ? null : 'The website inbox is not available on this platform.'),
  verify: () => Promise.resolve(),
  async send({ orgId, notificationId, recipient, text }, { siteId }, context) {
    if (!isThere(context)) throw new ProviderError('unreachable', 'The website inbox cannot be reached right now.');
    const body = { orgId, key: notificationId, recipient, text, ...(siteId !== undefined && { siteId }) };
    try {
      const { messageId } = await call(context.broker, notifyAction, { body });
      return { providerMessageId: messageId };
    } catch (cause) {
      throw asProviderError(cause);
    }
  },
});

/** A second attempt under the same key adds nothing, so that a failure without an answer may be tried again. */
function asProviderError(cause: unknown): ProviderError {
  const code = errorCode(cause);
  if (code !== null && errorCatalogue[code].status < 500) {
    return new ProviderError('refused', `The website inbox: ${(cause as Error).message}`, { cause });
  }
  return new ProviderError('unreachable', 'The website inbox cannot be reached right now.', { cause });
}

function isThere({ broker }: ProviderContext): boolean {
  return broker.findNextActionEndpoint(notifyAction) instanceof Error === false;
}
