import { z } from 'zod';
import { Secret } from './secret.ts';

/** The environment variables of outgoing mail. */
export const mailVariables = {
  SMTP_URL: {
    about:
      'Mail server that mail is sent through, or none, which turns mail off. Unset: a mailbox for development, readable ' +
      'at /dev/mailbox from this machine; must be set with NODE_ENV=production, a PUBLIC_URL that is not loopback, ' +
      'NATS_URL or MONGO_URL.',
    example: 'smtps://user:password@mail.example.com',
    schema: z
      .union(
        [z.literal('none'), z.url({ protocol: /^smtps?$/ }).transform((url) => new Secret(url))],
        'must be an smtp:// or smtps:// URL, or none',
      )
      .optional(),
  },
  MAIL_FROM: {
    about: 'Sender of mail.',
    example: 'Example <no-reply@example.com>',
    schema: z
      .string()
      .regex(/^(?:[^<>\r\n]+<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/, 'must be an address, or a name and <address>')
      .default('Platform <no-reply@localhost>'),
  },
  DEV_MAILBOX: {
    about:
      'yes keeps mail in the mailbox for development although NATS_URL or MONGO_URL is set. Refused with ' +
      'NODE_ENV=production and with a PUBLIC_URL that is not loopback.',
    example: 'yes',
    schema: z
      .enum(['yes', 'no'], 'must be yes or no')
      .default('no')
      .transform((answer) => answer === 'yes'),
  },
};

type MailSettings = {
  SMTP_URL?: Secret | 'none' | undefined;
  DEV_MAILBOX: boolean;
  NATS_URL?: unknown;
  MONGO_URL?: unknown;
  isPublic: boolean;
};

const waysToSend =
  'set SMTP_URL to a mail server, such as smtps://user:password@mail.example.com, or to none, which turns mail off';

/** Why a platform with these settings cannot send mail; null when it can, or when mail is turned off. */
export function problemOfMail({ SMTP_URL, DEV_MAILBOX, NATS_URL, MONGO_URL, isPublic }: MailSettings): string | null {
  if (SMTP_URL !== undefined) return null;
  if (isPublic) {
    return `SMTP_URL must be set with NODE_ENV=production or a PUBLIC_URL that is not loopback: ${waysToSend}.`;
  }
  if (DEV_MAILBOX || (!NATS_URL && !MONGO_URL)) return null;
  return (
    `SMTP_URL must be set with NATS_URL or MONGO_URL: ${waysToSend}; or set DEV_MAILBOX=yes, which keeps mail in the ` +
    'mailbox for development.'
  );
}
