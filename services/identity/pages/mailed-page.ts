import { settings } from '../../../lib/settings.ts';
import type { Visit } from '../../../web/define-page.ts';
import { type Content, html } from '../../../web/html.ts';
import { type PageAnswer, renderPage } from '../../../web/page.ts';
import { texts } from './texts.ts';

/** Only a single process knows that its own settings are used for mail: in a pool the mailing node may have others. */
const isMailKept = settings.SMTP_URL === undefined && settings.NATS_URL === undefined;

/** Shows the page that a mail is on its way, with the link to retry (`again`) when it does not arrive. */
export function renderMailedPage({ browser }: Visit, words: Content, again: string): PageAnswer {
  const t = texts().mailed;
  return renderPage({
    title: t.title,
    body: html`<h1>${t.title}</h1>
<p>${words}</p>
<p class="hint">${t.again(again)}</p>
${isMailKept && browser.isThisMachine && html`<p class="hint">${t.mailbox('/dev/mailbox')}</p>`}`,
  });
}
