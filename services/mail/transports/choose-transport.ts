import type { Logger } from 'moleculer';
import { settings } from '../../../lib/settings/settings.ts';
import { StartError } from '../../../lib/settings/start-error.ts';
import { problemOfMail } from '../../../lib/settings/variables-mail.ts';
import { mailboxLink } from '../../../web/mailbox-page.ts';
import { mailboxTransport } from './mailbox.ts';
import type { Dkim } from './smtp.ts';
import { smtpThread } from './smtp-thread.ts';
import type { Transport } from './transport.ts';

type Choice = Pick<typeof settings, 'SMTP_URL' | 'NATS_URL' | 'MONGO_URL' | 'DEV_MAILBOX' | 'isPublic'>;
type Signing = Pick<typeof settings, 'MAIL_DKIM_DOMAIN' | 'MAIL_DKIM_SELECTOR' | 'MAIL_DKIM_KEY'>;

/** Whether mail is turned off; then no message is stored. */
export function isMailOff({ SMTP_URL }: Pick<Choice, 'SMTP_URL'> = settings): boolean {
  return SMTP_URL === 'none';
}

/**
 * Creates the transport from the settings; null if mail is off. Throws a {@link StartError} if the settings select
 * none.
 */
export function chooseTransport(logger: Pick<Logger, 'info'>, choice: Choice = settings): Transport | null {
  const problem = problemOfMail(choice);
  if (problem !== null) throw new StartError(problem);
  if (choice.SMTP_URL === 'none') {
    logger.info(
      'mail is turned off: registration, password recovery and invitations are unavailable; set SMTP_URL to turn it on',
    );
    return null;
  }
  if (choice.SMTP_URL) return smtpThread(choice.SMTP_URL.reveal(), dkimOf(settings));
  logger.info(
    `mail is kept in the development mailbox at ${mailboxLink()} (this machine only); set SMTP_URL to send it`,
  );
  return mailboxTransport();
}

/** The DKIM key; null for none. The three settings must be set together. */
function dkimOf({ MAIL_DKIM_DOMAIN: domain, MAIL_DKIM_SELECTOR: selector, MAIL_DKIM_KEY: key }: Signing): Dkim | null {
  return domain && selector && key ? { domain, selector, key } : null;
}
