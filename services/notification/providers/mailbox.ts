import { z } from 'zod';
import { channels } from '../../../models/notification/connection.ts';
import { defineProvider } from './provider.ts';

const maxRecipientLength = 512;

/** For trying a channel: messages are kept and sent nowhere. On one machine they can be read at /dev/mailbox. */
export const mailbox = defineProvider({
  channels,
  credentials: z.strictObject({}),
  perSecond: 1000,
  addressOf: (recipient) => (recipient.length <= maxRecipientLength ? recipient : null),
  verify: () => Promise.resolve(),
  send: () => Promise.resolve({ providerMessageId: null }),
});
