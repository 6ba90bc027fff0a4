import { settings } from '../../../lib/settings.ts';
import type { Visit } from '../../../web/define-page.ts';
import { type Content, html } from '../../../web/html.ts';
import { type PageAnswer, showPage } from '../../../web/page.ts';

/** Only a single process knows that its own settings are used for mail: in a pool the mailing node may have others. */
const isMailKept = settings.SMTP_URL === undefined && settings.NATS_URL === undefined;

/** Shows the page that a mail is on its way, with the link to retry (`again`) when it does not arrive. */
export function showMailedPage({ browser }: Visit, words: Content, again: string): PageAnswer {
  return showPage({
    title: 'Look into your mail',
    body: html`<h1>Look into your mail</h1>
<p>${words}</p>
<p class="hint">Nothing there after a few minutes? Look into the folder for spam, or <a href="${again}">try again</a>.</p>
${
  isMailKept &&
  browser.isThisMachine &&
  html`<p class="hint">This platform does not send mail yet: what it writes is in the
<a href="/dev/mailbox">mailbox for development</a>.</p>`
}`,
  });
}
