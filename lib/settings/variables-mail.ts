import { z } from 'zod';
import { asciiDomain } from '../format/email-address.ts';
import { Secret } from '../security/secret.ts';
import { count, list, secret, yesOrNo } from './setting-schemas.ts';

/** The environment variables of outgoing mail. */
export const mailVariables = {
  SMTP_URL: {
    about:
      'Mail server, or none, which turns mail off. Unset: a mailbox for development, readable ' +
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
    about: 'Default sender of mail.',
    example: 'Example <no-reply@example.com>',
    schema: z
      .string()
      .regex(/^(?:[^<>\r\n]+<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/, 'must be an address, or a name and <address>')
      .default('Platform <no-reply@localhost>'),
  },
  MAIL_TENANT_FROM: {
    about:
      "Sender address of organizations' mail, as “Acme via” your BRAND_NAME; must differ from MAIL_FROM. Preferably in " +
      'a separate domain, with SPF and DKIM. Unset: messages@ in the domain of MAIL_FROM.',
    example: 'messages@mail.example.com',
    schema: z
      .string()
      .regex(/^[^\s<>@]+@[^\s<>@]+$/, 'must be an address')
      .optional(),
  },
  MAIL_RECIPIENT_LIMIT: {
    about:
      'Maximum mails an hour to one address from all organizations together; more are rejected with 429. 0: no limit.',
    example: '100',
    schema: count.default(100),
  },
  MAIL_SENDER_DOMAINS: {
    about:
      'Domains that organizations may send from, separated by commas, each verified by SPF and DKIM; <domain>=<id of an ' +
      'organization> for a domain of that organization only. Unset: all send from MAIL_TENANT_FROM.',
    example: 'mail.example.com,acme.example=org_01jz6y6k7v8w9x0y1z2a3b4c5d',
    schema: list.transform((entries) => entries.map(inAscii)).default([]),
  },
  MAIL_DKIM_DOMAIN: {
    about: 'DKIM signing domain; with MAIL_DKIM_SELECTOR and MAIL_DKIM_KEY. Unset: unsigned.',
    example: 'example.com',
    schema: z
      .string()
      .regex(/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/, 'must be a domain in lower case')
      .optional(),
  },
  MAIL_DKIM_SELECTOR: {
    about: 'DKIM selector: the DNS record is <selector>._domainkey.<domain>.',
    example: 'platform',
    schema: z
      .string()
      .regex(/^[a-z0-9-]{1,63}$/, 'must be 1 to 63 lower-case letters, digits and dashes')
      .optional(),
  },
  MAIL_DKIM_KEY: {
    about: 'Private RSA key for DKIM, as PEM on one line with \\n between its lines.',
    example: '-----BEGIN PRIVATE KEY-----\\nMIIE…\\n-----END PRIVATE KEY-----',
    schema: z
      .string()
      .transform((text) => text.replaceAll('\\n', '\n').trim())
      .pipe(
        z
          .string()
          .regex(/^-----BEGIN (?:RSA )?PRIVATE KEY-----[\s\S]+-----END (?:RSA )?PRIVATE KEY-----$/, 'must be a PEM'),
      )
      .transform((text) => new Secret(text))
      .optional(),
  },
  MAIL_KEPT_DAYS: {
    about: 'Retention of sent, failed and suppressed messages in days.',
    example: '90',
    schema: count.min(1, 'must be at least 1').default(90),
  },
  MAIL_QUEUE_LIMIT: {
    about: 'Maximum number of queued mails of one organization; more are rejected with 429.',
    example: '100000',
    schema: count.min(1, 'must be at least 1').default(100_000),
  },
  MAIL_SES_TOPICS: {
    about: 'Amazon SNS topics, by ARN, that report bounces and complaints of Amazon SES, separated by commas.',
    example: 'arn:aws:sns:eu-central-1:123456789012:bounces',
    schema: list.default([]),
  },
  MAIL_POSTMARK_CREDENTIALS: {
    about: 'User and password, separated by a colon, of Postmark webhooks.',
    example: 'postmark:a-long-random-password',
    schema: secret(20, 300)
      .refine((pair) => pair.reveal().includes(':'), 'must be user:password')
      .optional(),
  },
  MAIL_FEEDBACK_SECRET: {
    about: 'Signing key of POST /v1/mail/feedback, by which other mail servers report bounces.',
    example: 'use-32-or-more-random-characters-here',
    schema: secret(32, 1024).optional(),
  },
  DEV_MAILBOX: {
    about:
      'yes keeps mail in the development mailbox although NATS_URL or MONGO_URL is set. Rejected with ' +
      'NODE_ENV=production and with a PUBLIC_URL that is not loopback.',
    example: 'yes',
    schema: yesOrNo,
  },
};

type MailSettings = {
  SMTP_URL?: Secret | 'none' | undefined;
  DEV_MAILBOX: boolean;
  NATS_URL?: unknown;
  MONGO_URL?: unknown;
  isPublic: boolean;
};

/** The conflicts between the DKIM settings, one sentence each. */
export function problemsOfDkim(parsed: Record<string, unknown>): string[] {
  const names = ['MAIL_DKIM_DOMAIN', 'MAIL_DKIM_SELECTOR', 'MAIL_DKIM_KEY'];
  const missing = names.filter((name) => !parsed[name]);
  if (missing.length === 0 || missing.length === names.length) return [];
  return [`${missing.join(' and ')} must be set when another DKIM setting is set`];
}

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

/** Normalizes the domain of `<domain>` or `<domain>=<id of an organization>` as domains of addresses are normalized. */
function inAscii(entry: string): string {
  const [domain = '', ...owner] = entry.toLowerCase().split('=');
  return [asciiDomain(domain), ...owner].join('=');
}
