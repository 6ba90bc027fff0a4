import type { Logger } from 'moleculer';
import { settings } from '../../../lib/settings.ts';
import { StartError } from '../../../lib/start-error.ts';
import { mailboxTransport } from './mailbox.ts';
import { smtpTransport } from './smtp.ts';
import type { Transport } from './transport.ts';

type Choice = Pick<typeof settings, 'SMTP_URL' | 'NATS_URL' | 'DEV_MAILBOX' | 'production'>;

/** Whether mail stays in the mailbox for development, where anybody who reaches the gateway reads it. */
export function isMailboxInUse({ SMTP_URL, NATS_URL, DEV_MAILBOX }: Omit<Choice, 'production'> = settings): boolean {
  return !SMTP_URL && (!NATS_URL || DEV_MAILBOX);
}

/** The transport that the settings ask for; throws a {@link StartError} in a pool that was told of none. */
export function chooseTransport(logger: Pick<Logger, 'info' | 'warn'>, choice: Choice = settings): Transport {
  if (choice.SMTP_URL) return smtpTransport(choice.SMTP_URL.reveal());
  if (!isMailboxInUse(choice)) {
    throw new StartError(
      'There is nothing to send mail through: set SMTP_URL to a mail server, such as ' +
        'smtps://user:password@mail.example.com, or DEV_MAILBOX=yes to keep mail in the mailbox for development.',
    );
  }
  const where = 'mail stays in the mailbox for development at /dev/mailbox, which needs no login; SMTP_URL sends it';
  if (choice.production) logger.warn(where);
  else logger.info(where);
  return mailboxTransport();
}
