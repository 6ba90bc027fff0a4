import { call } from '../../lib/calls.ts';
import type { GatewayResponse } from '../exchange.ts';
import { forThisMachine } from '../local-only.ts';
import { type Content, type Html, html } from '../pages/html.ts';
import { sendPage } from '../pages/page.ts';
import { page, type Visit } from '../pages/visit.ts';

const shownMessages = 50;

/**
 * The mailbox for development: what the platform would have mailed, for requests from this machine alone. Where mail
 * really leaves, or is turned off, each of these is a page that says there is nothing here.
 */
export const mailboxRoutes = forThisMachine({
  'GET /dev/mailbox': page(showMailbox),
  'GET /dev/mailbox/:messageId': page(showMessage),
  'GET /dev/mailbox/:messageId/html': page(sendMessageHtml),
});

async function showMailbox({ ctx, response }: Visit): Promise<void> {
  const { messages } = await call(ctx, 'mail.mailbox.list', { body: { limit: shownMessages } });
  const items = messages.map(
    ({ messageId, to, subject, createdAt }) => html`<li><h2><a href="/dev/mailbox/${messageId}">${subject}</a></h2>
<p>${to}</p>
<p class="hint">${timeOf(createdAt)}</p></li>
`,
  );
  const body = html`<h1>Mailbox</h1>
${explanation}
${
  items.length > 0
    ? html`<ul class="items">
${items}</ul>`
    : html`<p>No mail yet.</p>`
}`;
  sendPage(response, { title: 'Mailbox', body });
}

async function showMessage({ ctx, request, response }: Visit): Promise<void> {
  const body = { messageId: messageIdOf(request) };
  const { to, subject, createdAt, text, messageId } = await call(ctx, 'mail.mailbox.read', { body });
  sendPage(response, {
    title: subject,
    body: html`<h1>${subject}</h1>
<p>To ${to}, ${timeOf(createdAt)}</p>
<pre>${withLinks(text)}</pre>
<p><a href="/dev/mailbox/${messageId}/html">See it as HTML</a></p>
<p><a href="/dev/mailbox">All mail</a></p>
${explanation}`,
  });
}

/** The mail's own HTML with its inline styles, shut off from the platform's pages: no script, no form, no picture. */
const mailPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
  'sandbox allow-popups allow-popups-to-escape-sandbox';

async function sendMessageHtml({ ctx, request, response }: Visit): Promise<void> {
  const message = await call(ctx, 'mail.mailbox.read', { body: { messageId: messageIdOf(request) } });
  sendHtml(response, message.html);
}

function sendHtml(response: GatewayResponse, text: string): void {
  response.writeHead(200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Content-Security-Policy': mailPolicy,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
  });
  response.end(text);
}

const explanation = html`<p>This page exists in development only: mail that the platform writes stays here instead of
being sent. Only browsers on this machine can open it. Set <code>SMTP_URL</code> to send mail.</p>`;

function messageIdOf({ parameters }: Visit['request']): string {
  return parameters.messageId ?? '';
}

function timeOf(instant: string): Html {
  return html`<time datetime="${instant}">${instant.slice(0, 19).replace('T', ' ')} UTC</time>`;
}

/** The text with what are addresses of pages as links. */
function withLinks(text: string): Content {
  const parts = text.split(/(https?:\/\/[^\s<>"]+)/);
  return parts.map((part, index) => (index % 2 === 1 ? html`<a href="${part}">${part}</a>` : part));
}
