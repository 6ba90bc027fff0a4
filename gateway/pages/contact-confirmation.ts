import { call } from '../../lib/calls.ts';
import type { Refusal } from './attempt.ts';
import { openFlow } from './flow.ts';
import { pick } from './form.ts';
import { sendFormPage, showForm } from './form-page.ts';
import { html } from './html.ts';
import { sendLinkExpired } from './link-expired.ts';
import { sendPage } from './page.ts';
import { withReturnTo } from './return-to.ts';
import { tokenOf } from './token.ts';
import { openUserFlow, refuseStale, type UserVisit, userPage } from './user-page.ts';
import type { Visit } from './visit.ts';

const path = '/self-service/contacts/confirm';
const contactsPath = '/account/contacts';
const flowKind = 'contact-confirmation';

/**
 * The page of a mailed link that verifies a contact. Only the user who added the contact can confirm it, so visitors
 * log in first.
 */
export const contactConfirmationRoutes = {
  [`GET ${path}`]: userPage(comeBackTo, (visit) => showConfirmation(visit)),
  [`POST ${path}`]: userPage(comeBackTo, confirm),
};

function comeBackTo({ query }: Visit): string {
  const token = tokenOf(query);
  return token === null ? contactsPath : pathOf(token);
}

function pathOf(token: string): string {
  return `${path}?${new URLSearchParams({ token })}`;
}

async function showConfirmation(visit: UserVisit, refusal?: Refusal): Promise<void> {
  const { ctx, query, response } = visit;
  const token = tokenOf(query);
  if (token === null) return sendContactExpired(visit);
  const link = await call(ctx, 'identity.accounts.preview-contact-confirmation', { body: { token } });
  if (link.outcome === 'expired') return sendContactExpired(visit);
  if (link.outcome === 'other-user') return await sendOtherUser(visit, token);
  sendFormPage(response, {
    title: 'Confirm your email address',
    lead: html`Confirm that <strong>${link.email}</strong> is your address. It is then a confirmed contact of your account.`,
    refusal,
    form: { action: pathOf(token), flow: openUserFlow(visit, flowKind), submit: 'Confirm' },
  });
}

async function confirm(visit: UserVisit): Promise<void> {
  const { response, ctx, query, form } = visit;
  const token = tokenOf(query);
  if (token === null) return sendContactExpired(visit);
  pick(form);
  const refusal = refuseStale(visit, flowKind);
  if (refusal) return await showConfirmation(visit, refusal);
  const { outcome } = await call(ctx, 'identity.accounts.confirm-contact', { body: { token } });
  if (outcome === 'expired') return sendContactExpired(visit);
  if (outcome === 'other-user') return await sendOtherUser(visit, token);
  sendPage(response, {
    title: 'Confirmed',
    body: html`<h1>Confirmed</h1>
<p>Thank you, the address is yours.</p>
<p><a href="${contactsPath}">Go to your contacts</a></p>`,
  });
}

/** Changes nothing, so that the link stays valid for its user. */
async function sendOtherUser({ request, response, ctx }: UserVisit, token: string): Promise<void> {
  const me = await call(ctx, 'identity.me.read', {});
  const title = 'This link belongs to another account';
  const logout = {
    action: withReturnTo('/self-service/logout', pathOf(token)),
    flow: openFlow(request, response, 'logout', {}),
    submit: 'Log out and continue',
  };
  sendPage(response, {
    title,
    status: 403,
    body: html`<h1>${title}</h1>
<p>You are logged in as <strong>${me.type === 'user' && me.email}</strong>, and this account did not ask for the link.
To confirm the address, log in with the account that did.</p>
<p>If you do not know who asked for it, close this page. The address stays unconfirmed.</p>
${showForm(logout)}`,
  });
}

function sendContactExpired({ response }: Visit): void {
  sendLinkExpired(response, 'Ask for another mail in your contacts', contactsPath);
}
