import { settings } from '../../../lib/settings.ts';
import type { ProviderName } from '../../../models/notification/connection.ts';
import { mail } from './mail.ts';
import { mailbox } from './mailbox.ts';
import type { Provider } from './provider.ts';
import { sms } from './sms.ts';
import { telegram } from './telegram.ts';
import { web } from './web.ts';
import { webhook } from './webhook.ts';
import { whatsapp } from './whatsapp.ts';

/** The providers by name, at the addresses of the settings. */
export const providers = {
  mailbox,
  webhook: webhook(),
  telegram: telegram(settings.TELEGRAM_URL),
  whatsapp: whatsapp(settings.WHATSAPP_URL),
  sms: sms(settings.TWILIO_URL),
  mail,
  web,
} satisfies Record<ProviderName, Provider>;

/** The provider of a name. Its credentials are checked by its own schema, so their type is not known here. */
export function providerOf(name: ProviderName): Provider {
  return providers[name];
}
