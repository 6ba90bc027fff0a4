import { apiError } from '../../../lib/contract/errors.ts';
import { publicPage, type Visit } from '../../../web/define-page.ts';
import { html } from '../../../web/html.ts';
import { type PageAnswer, renderPage } from '../../../web/page.ts';
import { suppress } from '../suppression-store.ts';
import { readUnsubscribeToken, type Subscription, unsubscribePath } from '../suppressions.ts';
import { texts } from './texts.ts';

/**
 * Unsubscribing: a page for people, and the POST that mail programs send automatically (RFC 8058). The URL is the
 * credential, so the form needs no token. A GET changes nothing, because mail filters open links.
 */
export const unsubscribePages = {
  'pages.unsubscribe.show': publicPage({
    rest: `GET ${unsubscribePath}/:token`,
    summary: 'Ask whether to unsubscribe',
    handler: renderQuestion,
  }),
  'pages.unsubscribe.submit': publicPage({
    rest: `POST ${unsubscribePath}/:token`,
    summary: 'Unsubscribe from marketing mail',
    isOneClick: true,
    handler: unsubscribe,
  }),
};

function renderQuestion({ path }: Visit): PageAnswer {
  const { address } = subscriptionOf(path.token);
  const { title, question, submit } = texts().unsubscribe;
  return renderPage({
    title,
    body: html`<h1>${title}</h1>
<p>${question(address)}</p>
<form method="post" action="${unsubscribePath}/${path.token ?? ''}"><button>${submit}</button></form>`,
  });
}

async function unsubscribe({ path }: Visit): Promise<PageAnswer> {
  const { orgId, address, messageId } = subscriptionOf(path.token);
  await suppress({ orgId, address, reason: 'unsubscribed', messageId });
  const { doneTitle, done } = texts().unsubscribe;
  return renderPage({ title: doneTitle, body: html`<h1>${doneTitle}</h1>\n<p>${done(address)}</p>` });
}

function subscriptionOf(token: string | undefined): Subscription {
  const subscription = readUnsubscribeToken(token ?? '');
  if (!subscription) throw apiError('NOT_FOUND', { message: 'This unsubscribe link is incomplete.' });
  return subscription;
}
