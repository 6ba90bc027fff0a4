import { apiError } from '../../../lib/contract/errors.ts';
import type { SuppressionReason } from '../../../models/mail/suppression.ts';
import { publicPage, type Visit } from '../../../web/define-page.ts';
import { html } from '../../../web/html.ts';
import { type PageAnswer, renderPage } from '../../../web/page.ts';
import { pickFields } from '../../../web/pick.ts';
import { senderNameOf } from '../sender-settings.ts';
import { resubscribe, suppress, suppressionOf } from '../suppression-store.ts';
import { readUnsubscribeToken, type Subscription, unsubscribePath } from '../suppressions.ts';
import { texts } from './texts.ts';

/**
 * Unsubscribing: a page for people, and the POST that mail programs send automatically (RFC 8058). The URL is the
 * credential, so the form needs no token. A GET changes nothing, because mail filters open links.
 */
export const unsubscribePages = {
  'pages.unsubscribe.show': publicPage({
    rest: `GET ${unsubscribePath}/:token`,
    summary: 'Show whether an address is subscribed to marketing mail',
    handler: renderState,
  }),
  'pages.unsubscribe.submit': publicPage({
    rest: `POST ${unsubscribePath}/:token`,
    summary: 'Unsubscribe from marketing mail',
    isOneClick: true,
    handler: unsubscribe,
  }),
  'pages.unsubscribe.undo': publicPage({
    rest: `POST ${unsubscribePath}/:token/undo`,
    summary: 'Subscribe to marketing mail again',
    handler: undo,
  }),
};

async function renderState({ ctx, path }: Visit): Promise<PageAnswer> {
  const { orgId, address } = subscriptionOf(path.token);
  const reason = await suppressionOf(orgId, address);
  if (reason !== null) return renderDone(ctx, path.token, reason);
  const { title, question, submit } = texts().unsubscribe;
  return renderPage({
    title,
    body: html`<h1>${title}</h1>
<p>${question(await senderNameOf(ctx, orgId), address)}</p>
<form method="post" action="${pathOf(path.token)}"><button class="btn primary">${submit}</button></form>`,
  });
}

async function unsubscribe({ ctx, path }: Visit): Promise<PageAnswer> {
  const { orgId, address, messageId } = subscriptionOf(path.token);
  await suppress({ orgId, address, reason: 'unsubscribed', messageId });
  return renderDone(ctx, path.token, (await suppressionOf(orgId, address)) ?? 'unsubscribed');
}

/** Only what the recipient did can be undone by them: an address that bounced or complained stays suppressed. */
async function renderDone(
  ctx: Visit['ctx'],
  token: string | undefined,
  reason: SuppressionReason,
): Promise<PageAnswer> {
  const { orgId, address } = subscriptionOf(token);
  const { doneTitle, done, undo } = texts().unsubscribe;
  return renderPage({
    title: doneTitle,
    body: html`<h1>${doneTitle}</h1>
<p>${done(await senderNameOf(ctx, orgId), address)}</p>
${reason === 'unsubscribed' && html`<form method="post" action="${pathOf(token)}/undo"><button class="btn">${undo}</button></form>`}`,
  });
}

async function undo({ ctx, form, path }: Visit): Promise<PageAnswer> {
  pickFields(form);
  const { orgId, address } = subscriptionOf(path.token);
  await resubscribe(orgId, address);
  const reason = await suppressionOf(orgId, address);
  if (reason !== null) return renderDone(ctx, path.token, reason);
  const { undoneTitle, undone, submit } = texts().unsubscribe;
  return renderPage({
    title: undoneTitle,
    body: html`<h1>${undoneTitle}</h1>
<p>${undone(await senderNameOf(ctx, orgId), address)}</p>
<form method="post" action="${pathOf(path.token)}"><button class="btn">${submit}</button></form>`,
  });
}

const pathOf = (token: string | undefined): string => `${unsubscribePath}/${token ?? ''}`;

function subscriptionOf(token: string | undefined): Subscription {
  const subscription = readUnsubscribeToken(token ?? '');
  if (!subscription) throw apiError('NOT_FOUND', { message: 'This unsubscribe link is incomplete.' });
  return subscription;
}
