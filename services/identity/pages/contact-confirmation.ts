import { call } from '../../../lib/calls.ts';
import type { Refusal } from '../../../web/attempt.ts';
import { type UserVisit, userPage } from '../../../web/define-page.ts';
import { openFlow } from '../../../web/flow.ts';
import { showForm, showFormPage } from '../../../web/form-page.ts';
import { html } from '../../../web/html.ts';
import { type PageAnswer, showPage } from '../../../web/page.ts';
import { pick } from '../../../web/pick.ts';
import { openUserFlow, refuseStale } from '../../../web/user-page.ts';
import { showLinkExpired } from './link-expired.ts';
import { withReturnTo } from './return-to.ts';
import { tokenOf } from './token.ts';

const path = '/self-service/contacts/confirm';
const contactsPath = '/account/contacts';
const flowKind = 'contact-confirmation';

/**
 * The page of a mailed link that verifies a contact. Only the user who added the contact can confirm it, so visitors
 * log in first.
 */
export const contactConfirmationPages = {
  'pages.contact-confirmation.show': userPage({
    rest: `GET ${path}`,
    summary: 'Ask to confirm a contact by the link in the mail',
    handler: (visit) => showConfirmation(visit),
  }),
  'pages.contact-confirmation.submit': userPage({
    rest: `POST ${path}`,
    summary: 'Confirm a contact by the link in the mail',
    handler: confirm,
  }),
};

function pathOf(token: string): string {
  return `${path}?${new URLSearchParams({ token })}`;
}

async function showConfirmation(visit: UserVisit, refusal?: Refusal): Promise<PageAnswer> {
  const { ctx, query } = visit;
  const token = tokenOf(query);
  if (token === null) return showContactExpired();
  const link = await call(ctx, 'identity.accounts.preview-contact-confirmation', { body: { token } });
  if (link.outcome === 'expired') return showContactExpired();
  if (link.outcome === 'other-user') return await showOtherUser(visit, token);
  return showFormPage({
    title: 'Confirm your email address',
    lead: html`Confirm that <strong>${link.email}</strong> is your address. It is then a confirmed contact of your account.`,
    refusal,
    form: { action: pathOf(token), flow: openUserFlow(visit, flowKind), submit: 'Confirm' },
  });
}

async function confirm(visit: UserVisit): Promise<PageAnswer> {
  const { ctx, query, form } = visit;
  const token = tokenOf(query);
  if (token === null) return showContactExpired();
  pick(form);
  const refusal = refuseStale(visit, flowKind);
  if (refusal) return await showConfirmation(visit, refusal);
  const { outcome } = await call(ctx, 'identity.accounts.confirm-contact', { body: { token } });
  if (outcome === 'expired') return showContactExpired();
  if (outcome === 'other-user') return await showOtherUser(visit, token);
  return showPage({
    title: 'Confirmed',
    body: html`<h1>Confirmed</h1>
<p>Thank you, the address is yours.</p>
<p><a href="${contactsPath}">Go to your contacts</a></p>`,
  });
}

/** Changes nothing, so that the link stays valid for its user. */
async function showOtherUser({ browser, ctx }: UserVisit, token: string): Promise<PageAnswer> {
  const me = await call(ctx, 'identity.me.read', {});
  const title = 'This link belongs to another account';
  const logout = {
    action: withReturnTo('/self-service/logout', pathOf(token)),
    flow: openFlow(browser, 'logout', {}),
    submit: 'Log out and continue',
  };
  return showPage({
    title,
    status: 403,
    body: html`<h1>${title}</h1>
<p>You are logged in as <strong>${me.type === 'user' && me.email}</strong>, and this account did not ask for the link.
To confirm the address, log in with the account that did.</p>
<p>If you do not know who asked for it, close this page. The address stays unconfirmed.</p>
${showForm(logout)}`,
  });
}

function showContactExpired(): PageAnswer {
  return showLinkExpired('Ask for another mail in your contacts', contactsPath);
}
