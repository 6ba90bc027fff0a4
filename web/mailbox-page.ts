import type { Action } from '../lib/contract/define-action.ts';
import { apiError } from '../lib/contract/errors.ts';
import { isSigned, sign } from '../lib/security/encryption.ts';
import { settings } from '../lib/settings/settings.ts';
import { problemOfMail } from '../lib/settings/variables-mail.ts';
import { publicPage, type Visit } from './define-page.ts';
import { html } from './html.ts';
import { type PageAnswer, renderPage } from './page.ts';
import { texts } from './texts.ts';

const purpose = 'web.mailbox';
const text = 'token';

/**
 * Whether mail stays in the mailbox for development: the default on a single node with the embedded database, otherwise
 * by a setting.
 */
export function isMailboxInUse(choice: Parameters<typeof problemOfMail>[0] = settings): boolean {
  return choice.SMTP_URL === undefined && problemOfMail(choice) === null;
}

/** URL of the development mailbox with its token, for the operator who started the platform. */
export function mailboxLink(): string {
  return `${settings.PUBLIC_URL}/dev/mailbox?${new URLSearchParams({ token: sign(purpose, text) })}`;
}

type MailboxPage = {
  rest: `GET /dev/mailbox${string}`;
  summary: string;
  /** Whether the page has any content; true when absent. */
  exists?: () => boolean;
  handler: (visit: Visit) => Promise<PageAnswer>;
};

/**
 * Defines a page of the development mailbox, for requests from this machine with the token of {@link mailboxLink}:
 * other users and programs of the machine must not read the links in the mails. The browser keeps the token.
 */
export function mailboxPage({ rest, summary, exists = () => true, handler }: MailboxPage): Action {
  return publicPage({
    rest,
    summary,
    thisMachineOnly: true,
    handler: (visit) => {
      if (!exists()) throw apiError('NOT_FOUND');
      const { browser, query } = visit;
      const { token } = query;
      const isOpened = typeof token === 'string' && isSigned(purpose, text, token);
      if (isOpened) browser.keepMailboxToken(token);
      return isOpened || isSigned(purpose, text, browser.mailboxToken ?? '') ? handler(visit) : renderRefusal();
    },
  });
}

function renderRefusal(): PageAnswer {
  const { title, advice } = texts().mailboxClosed;
  return renderPage({ title, status: 403, body: html`<h1>${title}</h1>\n<p>${advice}</p>` });
}
