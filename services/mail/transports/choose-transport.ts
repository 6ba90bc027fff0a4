import type { Logger } from 'moleculer';
import { problemOfMail } from '../../../lib/mail-variables.ts';
import { settings } from '../../../lib/settings.ts';
import { StartError } from '../../../lib/start-error.ts';
import { mailboxLink } from '../../../web/mailbox-page.ts';
import { mailboxTransport } from './mailbox.ts';
import type { Dkim } from './smtp.ts';
import { smtpThread } from './smtp-thread.ts';
import type { Transport } from './transport.ts';

type Choice = Pick<typeof settings, 'SMTP_URL' | 'NATS_URL' | 'MONGO_URL' | 'DEV_MAILBOX' | 'isPublic'>;
type Signing = Pick<typeof settings, 'MAIL_DKIM_DOMAIN' | 'MAIL_DKIM_SELECTOR' | 'MAIL_DKIM_KEY'>;

/** Whether mail is turned off: no message is stored. */
export function isMailOff({ SMTP_URL }: Pick<Choice, 'SMTP_URL'> = settings): boolean {
  return SMTP_URL === 'none';
}

/**
 * Whether mail stays in the mailbox for development: on one node with the embedded database, elsewhere by a setting.
 */
export function isMailboxInUse(choice: Choice = settings): boolean {
  return choice.SMTP_URL === undefined && problemOfMail(choice) === null;
}

/** The transport of the settings, null where mail is off; throws a {@link StartError} where they choose none. */
export function chooseTransport(logger: Pick<Logger, 'info'>, choice: Choice = settings): Transport | null {
  const problem = problemOfMail(choice);
  if (problem !== null) throw new StartError(problem);
  if (choice.SMTP_URL === 'none') {
    logger.info('mail is turned off: nobody can register, recover a password or be invited; SMTP_URL turns it on');
    return null;
  }
  if (choice.SMTP_URL) return smtpThread(choice.SMTP_URL.reveal(), dkimOf(settings));
  logger.info(`mail stays in the mailbox for development, for this machine at ${mailboxLink()}; SMTP_URL sends it`);
  return mailboxTransport();
}

/** The key that mail is signed with; null for none. The settings are there together or not at all. */
function dkimOf({ MAIL_DKIM_DOMAIN: domain, MAIL_DKIM_SELECTOR: selector, MAIL_DKIM_KEY: key }: Signing): Dkim | null {
  return domain && selector && key ? { domain, selector, key } : null;
}
