import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import { apiError, inputError } from '../../../../lib/contract/errors.ts';
import { type Refusal, refusalOf, refuse, rejectMissing } from '../../../../web/attempt.ts';
import { type UserVisit, userPage } from '../../../../web/define-page.ts';
import { renderChoice, renderFields } from '../../../../web/fields.ts';
import { flowField } from '../../../../web/flow.ts';
import { renderForm } from '../../../../web/form-page.ts';
import { type Html, html } from '../../../../web/html.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { pickFields } from '../../../../web/pick.ts';
import { flashMessage, openUserFlow, rejectStaleForm } from '../../../../web/user-page.ts';
import { texts } from '../texts.ts';
import { renderAccountPage } from './account-page.ts';

const contactsPath = '/account/contacts';
const loginEmailFormPath = `${contactsPath}/login-email`;

/** Asks for the password before a confirmed email contact, named by the query, becomes the login email. */
export const loginEmailPages = {
  'pages.login-email.show': userPage({
    rest: `GET ${loginEmailFormPath}`,
    summary: 'Ask for the password before the login email changes',
    handler: (visit) => renderLoginEmail(visit),
  }),
  'pages.login-email.change': userPage({
    rest: `POST ${loginEmailFormPath}`,
    summary: 'Change the login email',
    handler: changeLoginEmail,
  }),
};

/** The address of this page for a contact. */
function loginEmailPath(contactId: string): string {
  return `${loginEmailFormPath}?${new URLSearchParams({ contactId })}`;
}

async function changeLoginEmail(visit: UserVisit): Promise<PageAnswer> {
  const contactId = contactIdOf(visit);
  const typed = pickFields(visit.form, 'currentPassword');
  const body = { contactId, ...typed };
  const refusal =
    rejectStaleForm(visit, loginEmailFormPath) ??
    rejectMissing(typed, { currentPassword: texts().fields.currentPasswordMissing }) ??
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
  return await renderAccountPage(visit, {
    page: 'contacts',
    title: t.title,
    refusal: refusal ?? unconfirmed,
    body: html`<p>${t.lead(contact.value)}</p>
${renderForm({
  action: loginEmailPath(contactId),
  flow: openUserFlow(visit, loginEmailFormPath),
  fields: renderFields([password], refusal?.errors),
  submit: t.submit,
})}
<p><a href="${contactsPath}">${t.back}</a></p>`,
  });
}

function contactIdOf({ query }: UserVisit): string {
  return typeof query.contactId === 'string' ? query.contactId : '';
}

const path = '/account/contacts';
const maxShown = '100';

type Contact = CallOutput<'identity.contacts.list'>['data'][number];

const types = [
  'email',
  'phone',
  'chatapp',
  'photoapp',
  'socialapp',
  'microblog',
] as const satisfies readonly Contact['type'][];

/** The actions on a contact. Each redirects back to the page with a notice. */
const changes: Record<string, (visit: UserVisit, contactId: string) => Promise<unknown>> = {
  primary: ({ ctx }, contactId) =>
    call(ctx, 'identity.contacts.update', { path: { contactId }, body: { isPrimary: true } }),
  removed: ({ ctx }, contactId) => call(ctx, 'identity.contacts.remove', { path: { contactId } }),
  mailed: ({ ctx }, contactId) => call(ctx, 'identity.accounts.send-verification', { path: { contactId } }),
};

export const contactsPages = {
  'pages.contacts.show': userPage({
    rest: `GET ${path}`,
    summary: 'Show the contacts of the user',
    handler: (visit) => renderContacts(visit),
  }),
  'pages.contacts.add': userPage({
    rest: `POST ${path}`,
    summary: 'Add a contact',
    handler: addContact,
  }),
  'pages.contacts.change': userPage({
    rest: `POST ${path}/change`,
    summary: 'Confirm, prefer or remove a contact',
    handler: changeContact,
  }),
};

async function addContact(visit: UserVisit): Promise<PageAnswer> {
  const typed = pickFields(visit.form, 'type', 'value');
  const type = types.find((name) => name === typed.type);
  const add = () =>
    type
      ? call(visit.ctx, 'identity.contacts.create', { body: { type, value: typed.value } })
      : Promise.reject(noType());
  const refusal =
    rejectStaleForm(visit, path) ??
    rejectMissing(typed, { value: texts().contacts.valueMissing }) ??
    (await refusalOf(['type', 'value'], add));
  if (refusal) return renderContacts(visit, refusal, typed);
  return redirectTo(`${path}?done=added`);
}

async function changeContact(visit: UserVisit): Promise<PageAnswer> {
  const { contactId, act } = pickFields(visit.form, 'contactId', 'act');
  const change = Object.hasOwn(changes, act) ? changes[act] : undefined;
  const refusal =
    rejectStaleForm(visit, path) ??
    (change ? await refusalOf([], () => change(visit, contactId)) : refuse({}, texts().contacts.actMissing));
  if (refusal) return renderContacts(visit, refusal);
  return redirectTo(`${path}?done=${act}`);
}

async function renderContacts(
  visit: UserVisit,
  refusal?: Refusal,
  typed = { type: 'email', value: '' },
): Promise<PageAnswer> {
  const [{ data: contacts }, me] = await Promise.all([
    call(visit.ctx, 'identity.contacts.list', { query: { limit: maxShown } }),
    call(visit.ctx, 'identity.me.read', {}),
  ]);
  const loginEmail = me.type === 'user' ? me.email : null;
  const flow = openUserFlow(visit, path);
  const { contacts: t, fields, buttons } = texts();
  const options = types.map((type) => [type, t.types[type]] as const);
  const value = { name: 'value', label: t.value, autocomplete: 'off', value: typed.value };
  return await renderAccountPage(visit, {
    page: 'contacts',
    title: t.title,
    notice: flashMessage(visit, t.notices),
    refusal,
    body: html`<ul class="items">${contacts.map((contact) => renderContact(contact, loginEmail, flow))}</ul>
<h2>${t.addTitle}</h2>
${renderForm({
  action: path,
  flow,
  fields: [
    renderChoice({ name: 'type', label: fields.kind, options }, typed.type, refusal?.errors.type),
    renderFields([{ ...value, isRequired: true }], refusal?.errors),
  ],
  submit: buttons.add,
})}`,
  });
}

function renderContact(contact: Contact, loginEmail: string | null, flow: string): Html {
  const { contactId, type, value, isPrimary, verified } = contact;
  const isEmail = type === 'email';
  const isLogin = isEmail && value === loginEmail;
  const { contacts: t, buttons } = texts();
  const acts = [
    isEmail && !verified && renderAct('mailed', t.confirm, value),
    isEmail && verified && !isLogin && renderLoginLink(contactId, value),
    !isPrimary && renderAct('primary', t.makePrimary, value),
    !isLogin && renderAct('removed', buttons.remove, value, true),
  ].filter(Boolean);
  return html`<li><h2>${value}</h2>
<p class="hint">${kindOf(contact)}</p>
<p>${isLogin && html`<span class="badge">${t.isLogin}</span> `}${isPrimary && html`<span class="badge">${t.isPrimary}</span>`}</p>
${
  acts.length > 0 &&
  html`<form method="post" action="${path}/change" class="acts">
${flowField(flow)}<input type="hidden" name="contactId" value="${contactId}">
${acts}
</form>`
}</li>`;
}

/** The kind of a contact, and of an email whether it is confirmed. */
function kindOf({ type, verified }: Contact): string {
  const t = texts().contacts;
  const kind = t.types[type];
  if (type !== 'email') return kind;
  return verified ? t.confirmed(kind) : t.unconfirmed(kind);
}

/** The page has many such buttons, so each has an accessible name with its contact. */
function renderAct(act: string, words: string, value: string, isDangerous = false): Html {
  return html`<button name="act" value="${act}" class="btn${isDangerous && ' danger'}"
 aria-label="${texts().nameOfButton(words, value)}">${words}</button>`;
}

/** It asks for the password first. */
function renderLoginLink(contactId: string, value: string): Html {
  const { contacts, nameOfButton } = texts();
  const words = contacts.logInWith;
  return html`<a class="btn" href="${loginEmailPath(contactId)}" aria-label="${nameOfButton(words, value)}">${words}</a>`;
}

function noType(): Error {
  return inputError([{ path: 'body.type', message: texts().contacts.typeMissing }]);
}
