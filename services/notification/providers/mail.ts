import { z } from 'zod';
import { call } from '../../../lib/calls.ts';
import { emailSpelling } from '../../../lib/email-address.ts';
import { errorCatalogue, errorCode } from '../../../lib/errors.ts';
import { boundedRetryAfter, defineProvider, type ProviderContext, ProviderError } from './provider.ts';

/** In seconds. */
const tooManyPause = 900;

/** The platform's own mail service. Its queue takes the mail over, and a bounce is seen there. */
export const mail = defineProvider({
  channels: ['email'],
  credentials: z.strictObject({}),
  perSecond: 100,
  addressOf: (recipient) => emailSpelling.safeParse(recipient).data ?? null,
  async verify(_credentials, { broker }) {
    const { isOn } = await ofMail(() => call(broker, 'mail.system.status', { body: {} }));
    if (!isOn) throw new ProviderError('refused', 'Mail is turned off on this platform.');
  },
  async send(message, _credentials, { broker }: ProviderContext) {
    const { orgId, notificationId, recipient: to, category, subject, text, html } = message;
    const body = { orgId, notificationId, to, category, subject, text, html };
    const { messageId, status } = await ofMail(() => call(broker, 'mail.notifications.send', { body }));
    if (status === 'suppressed') throw new ProviderError('refused', 'Mail: the address is on the suppression list.');
    return { providerMessageId: messageId };
  },
});

/** The mail service keeps one mail for a notification, so a call whose outcome is unknown may be repeated. */
async function ofMail<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const code = errorCode(cause);
    if (code === 'RATE_LIMITED') {
      const message = 'Mail: the address gets too many mails within an hour.';
      throw new ProviderError('deferred', message, { retryAfter: boundedRetryAfter(tooManyPause), cause });
    }
    const isRefusal = code !== null && errorCatalogue[code].status < 500;
    if (isRefusal) throw new ProviderError('refused', `Mail: ${errorCatalogue[code].message}`, { cause });
    throw new ProviderError('unreachable', 'The mail service cannot be reached right now.', { cause });
  }
}
