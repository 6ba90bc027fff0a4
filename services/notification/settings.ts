import { defineSettings } from '../../lib/settings/define-settings.ts';
import { httpUrl } from '../../lib/settings/setting-schemas.ts';

/** The addresses of the providers. */
export const providerSettings = defineSettings('notification', {
  TELEGRAM_URL: {
    about: "URL of Telegram's Bot API, for a self-hosted server.",
    example: 'http://telegram-bot-api.internal:8081',
    schema: httpUrl.default('https://api.telegram.org'),
  },
  WHATSAPP_URL: {
    about: "URL of Meta's Graph API with its version, for WhatsApp.",
    example: 'https://graph.facebook.com/v23.0',
    schema: httpUrl.default('https://graph.facebook.com/v23.0'),
  },
  TWILIO_URL: {
    about: "URL of Twilio's API, for text messages.",
    example: 'https://api.twilio.com',
    schema: httpUrl.default('https://api.twilio.com'),
  },
});
