import { call } from '../../../lib/contract/context.ts';
import type { Refusal } from '../../../web/attempt.ts';
import { type UserVisit, userPage } from '../../../web/define-page.ts';
import { openFlow } from '../../../web/flow.ts';
import { renderForm, renderFormPage } from '../../../web/form-page.ts';
import { html } from '../../../web/html.ts';
import { type PageAnswer, renderPage } from '../../../web/page.ts';
import { pickFields } from '../../../web/pick.ts';
import { openUserFlow, rejectStaleForm } from '../../../web/user-page.ts';
import { withReturnTo } from './return-to.ts';
import { renderLinkExpired, tokenOf } from './shared.ts';
import { texts } from './texts.ts';

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
    handler: (visit) => renderConfirmation(visit),
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

async function renderConfirmation(visit: UserVisit, refusal?: Refusal): Promise<PageAnswer> {
  const { ctx, query } = visit;
  const token = tokenOf(query);
  if (token === null) return renderContactExpired();
  const link = await call(ctx, 'identity.accounts.preview-contact-confirmation', { body: { token } });
  if (link.outcome === 'expired') return renderContactExpired();
  if (link.outcome === 'other-user') return await renderOtherUser(visit, token);
  const { confirmation, contactConfirmation } = texts();
  return renderFormPage({
    title: confirmation.title,
    lead: contactConfirmation.lead(link.email),
    refusal,
    form: { action: pathOf(token), flow: openUserFlow(visit, flowKind), submit: confirmation.submit },
  });
}

async function confirm(visit: UserVisit): Promise<PageAnswer> {
  const { ctx, query, form } = visit;
  const token = tokenOf(query);
  if (token === null) return renderContactExpired();
  pickFields(form);
  const refusal = rejectStaleForm(visit, flowKind);
  if (refusal) return await renderConfirmation(visit, refusal);
  const { outcome } = await call(ctx, 'identity.accounts.confirm-contact', { body: { token } });
  if (outcome === 'expired') return renderContactExpired();
  if (outcome === 'other-user') return await renderOtherUser(visit, token);
  const t = texts().contactConfirmation;
  return renderPage({
    title: t.doneTitle,
    body: html`<h1>${t.doneTitle}</h1>
<p>${t.done}</p>
<p><a href="${contactsPath}">${t.contacts}</a></p>`,
  });
}

/** Changes nothing, so that the link stays valid for its user. */
async function renderOtherUser({ browser, ctx }: UserVisit, token: string): Promise<PageAnswer> {
  const me = await call(ctx, 'identity.me.read', {});
  const t = texts().contactConfirmation;
  const logout = {
    action: withReturnTo('/self-service/logout', pathOf(token)),
    flow: openFlow(browser, 'logout', {}),
    submit: t.logOut,
  };
  return renderPage({
    title: t.otherTitle,
    status: 403,
    body: html`<h1>${t.otherTitle}</h1>
<p>${t.other(me.type === 'user' && me.email)}</p>
<p>${t.notAsked}</p>
${renderForm(logout)}`,
  });
}

function renderContactExpired(): PageAnswer {
  return renderLinkExpired(texts().contactConfirmation.askAgain, contactsPath);
}
