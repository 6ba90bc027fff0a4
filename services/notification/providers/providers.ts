import { z } from 'zod';
import { call } from '../../../lib/contract/context.ts';
import { errorCatalogue, errorCode } from '../../../lib/contract/errors.ts';
import { emailSpelling } from '../../../lib/format/email-address.ts';
import { channels, type ProviderName } from '../../../models/notification/connection.ts';
import { providerSettings } from '../settings.ts';
import { boundedRetryAfter, defineProvider, type Provider, type ProviderContext, ProviderError } from './provider.ts';
import { sms } from './sms.ts';
import { telegram } from './telegram.ts';
import { web } from './web.ts';
import { webhook } from './webhook.ts';
import { whatsapp } from './whatsapp.ts';

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

/** The providers by name, at the addresses of the settings. */
export const providers = {
  mailbox,
  webhook: webhook(),
  telegram: telegram(providerSettings.TELEGRAM_URL),
  whatsapp: whatsapp(providerSettings.WHATSAPP_URL),
  sms: sms(providerSettings.TWILIO_URL),
  mail,
  web,
} satisfies Record<ProviderName, Provider>;

/** The provider of a name. Its credentials are checked by its own schema, so their type is not known here. */
export function providerOf(name: ProviderName): Provider {
  return providers[name];
}
