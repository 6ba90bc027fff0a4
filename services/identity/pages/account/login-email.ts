import { call } from '../../../../lib/calls.ts';
import { apiError } from '../../../../lib/errors.ts';
import { type Refusal, refusalOf, refuse, refuseMissing } from '../../../../web/attempt.ts';
import { type UserVisit, userPage } from '../../../../web/define-page.ts';
import { renderFields } from '../../../../web/fields.ts';
import { renderForm } from '../../../../web/form-page.ts';
import { html } from '../../../../web/html.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { pickFields } from '../../../../web/pick.ts';
import { openUserFlow, rejectStaleForm } from '../../../../web/user-page.ts';
import { texts } from '../texts.ts';
import { renderAccountPage } from './account-page.ts';

const contactsPath = '/account/contacts';
const path = `${contactsPath}/login-email`;

/** Asks for the password before a confirmed email contact, named by the query, becomes the login email. */
export const loginEmailPages = {
  'pages.login-email.show': userPage({
    rest: `GET ${path}`,
    summary: 'Ask for the password before the login email changes',
    handler: (visit) => renderLoginEmail(visit),
  }),
  'pages.login-email.change': userPage({
    rest: `POST ${path}`,
    summary: 'Change the login email',
    handler: changeLoginEmail,
  }),
};

/** The address of this page for a contact. */
export function loginEmailPath(contactId: string): string {
  return `${path}?${new URLSearchParams({ contactId })}`;
}

async function changeLoginEmail(visit: UserVisit): Promise<PageAnswer> {
  const contactId = contactIdOf(visit);
  const typed = pickFields(visit.form, 'currentPassword');
  const body = { contactId, ...typed };
  const refusal =
    rejectStaleForm(visit, path) ??
    refuseMissing(typed, { currentPassword: texts().fields.currentPasswordMissing }) ??
    (await refusalOf(['currentPassword'], () => call(visit.ctx, 'identity.accounts.change-login-email', { body })));
  if (refusal) return await renderLoginEmail(visit, refusal);
  return redirectTo(`${contactsPath}?done=login`);
}

async function renderLoginEmail(visit: UserVisit, refusal?: Refusal): Promise<PageAnswer> {
  const contactId = contactIdOf(visit);
  const { data: contacts } = await call(visit.ctx, 'identity.contacts.list', { query: { limit: '100' } });
  const contact = contacts.find((one) => one.contactId === contactId);
  if (contact?.type !== 'email') throw apiError('NOT_FOUND');
  const { fields, loginEmail: t } = texts();
  const unconfirmed = contact.verified ? null : refuse({}, t.unconfirmed);
  const password = {
    name: 'currentPassword',
    label: fields.currentPassword,
    type: 'password',
    autocomplete: 'current-password',
    isRequired: true,
    isFirst: true,
  } as const;
  return renderAccountPage({
    path: contactsPath,
    title: t.title,
    refusal: refusal ?? unconfirmed,
    body: html`<p>${t.lead(contact.value)}</p>
${renderForm({
  action: loginEmailPath(contactId),
  flow: openUserFlow(visit, path),
  fields: renderFields([password], refusal?.errors),
  submit: t.submit,
})}
<p><a href="${contactsPath}">${t.back}</a></p>`,
  });
}

function contactIdOf({ query }: UserVisit): string {
  return typeof query.contactId === 'string' ? query.contactId : '';
}
