import { z } from 'zod';
import { parseNetwork } from './public-address.ts';
import { httpUrl, list } from './setting-schemas.ts';

/** The environment variables of requests to other servers. */
export const outboundVariables = {
  EGRESS_ALLOW: {
    about:
      'Private networks that URLs of tenants, such as webhooks, may use, separated by commas; ' +
      'also by http and on any port. Unset: none.',
    example: '10.20.0.0/16,127.0.0.1',
    schema: list
      .transform((texts, context) =>
        texts.map((text) => {
          const network = parseNetwork(text);
          if (network) return network;
          context.addIssue({ code: 'custom', message: 'must be a list of networks such as 10.20.0.0/16' });
          return z.NEVER;
        }),
      )
      .default([]),
  },
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
};
