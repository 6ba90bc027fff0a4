import { call } from '../../../lib/calls.ts';
import { publicPage, type Visit } from '../../../web/define-page.ts';
import { type Content, type Html, html } from '../../../web/html.ts';
import { type PageAnswer, showPage } from '../../../web/page.ts';
import { texts } from './texts.ts';

const shownMessages = 50;

/**
 * The mailbox for development: what the platform would have mailed, for requests from this machine alone. Where mail
 * really leaves, or is turned off, each of these is a page that says there is nothing here.
 */
export const mailboxPages = {
  'pages.mailbox.show': publicPage({
    rest: 'GET /dev/mailbox',
    summary: 'Show the newest mails of the mailbox for development',
    thisMachineOnly: true,
    handler: showMailbox,
  }),
  'pages.mailbox.read': publicPage({
    rest: 'GET /dev/mailbox/:messageId',
    summary: 'Show a mail of the mailbox for development',
    thisMachineOnly: true,
    handler: showMessage,
  }),
  'pages.mailbox.html': publicPage({
    rest: 'GET /dev/mailbox/:messageId/html',
    summary: 'Show a mail of the mailbox for development as HTML',
    thisMachineOnly: true,
    handler: showMessageHtml,
  }),
};

async function showMailbox({ ctx }: Visit): Promise<PageAnswer> {
  const { messages } = await call(ctx, 'mail.mailbox.list', { body: { limit: shownMessages } });
  const items = messages.map(
    ({ messageId, to, subject, createdAt }) => html`<li><h2><a href="/dev/mailbox/${messageId}">${subject}</a></h2>
<p>${to}</p>
<p class="hint">${timeOf(createdAt)}</p></li>
`,
  );
  const { title, explanation, empty } = texts().mailbox;
  const body = html`<h1>${title}</h1>
<p>${explanation}</p>
${
  items.length > 0
    ? html`<ul class="items">
${items}</ul>`
    : html`<p>${empty}</p>`
}`;
  return showPage({ title, body });
}

async function showMessage({ ctx, path }: Visit): Promise<PageAnswer> {
  const body = { messageId: path.messageId ?? '' };
  const { to, subject, createdAt, text, messageId } = await call(ctx, 'mail.mailbox.read', { body });
  const { sent, toHtml, toMailbox } = texts().message;
  return showPage({
    title: subject,
    body: html`<h1>${subject}</h1>
<p>${sent(to, timeOf(createdAt))}</p>
<pre>${withLinks(text)}</pre>
<p><a href="/dev/mailbox/${messageId}/html">${toHtml}</a></p>
<p><a href="/dev/mailbox">${toMailbox}</a></p>
<p>${texts().mailbox.explanation}</p>`,
  });
}

/** The mail's own HTML with its inline styles, shut off from the platform's pages: no script, no form, no picture. */
const mailPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
  'sandbox allow-popups allow-popups-to-escape-sandbox';

async function showMessageHtml({ ctx, path }: Visit): Promise<PageAnswer> {
  const message = await call(ctx, 'mail.mailbox.read', { body: { messageId: path.messageId ?? '' } });
  return {
    status: 200,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': mailPolicy,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
    },
    cookies: [],
    html: message.html,
  };
}

function timeOf(instant: string): Html {
  return html`<time datetime="${instant}">${texts().timeInUtc(instant.slice(0, 19).replace('T', ' '))}</time>`;
}

/** The text with what are addresses of pages as links. */
function withLinks(text: string): Content {
  const parts = text.split(/(https?:\/\/[^\s<>"]+)/);
  return parts.map((part, index) => (index % 2 === 1 ? html`<a href="${part}">${part}</a>` : part));
}
