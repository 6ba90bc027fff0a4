import type { Logger } from 'moleculer';
import { settings } from '../../../lib/settings.ts';
import { StartError } from '../../../lib/start-error.ts';
import { mailboxTransport } from './mailbox.ts';
import { smtpTransport } from './smtp.ts';
import type { Transport } from './transport.ts';

type Choice = Pick<typeof settings, 'SMTP_URL' | 'NATS_URL' | 'MONGO_URL' | 'DEV_MAILBOX' | 'production'>;
type Kept = Omit<Choice, 'production'>;

/**
 * Whether mail stays in the mailbox for development, where anybody who reaches the gateway reads it: on one node with the
 * embedded database, and elsewhere when it is asked for.
 */
export function isMailboxInUse({ SMTP_URL, NATS_URL, MONGO_URL, DEV_MAILBOX }: Kept = settings): boolean {
  return !SMTP_URL && (DEV_MAILBOX || (!NATS_URL && !MONGO_URL));
}

/** The transport that the settings ask for; throws a {@link StartError} where they ask for none and one is needed. */
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
