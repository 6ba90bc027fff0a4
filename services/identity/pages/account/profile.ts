import { call } from '../../../../lib/contract/context.ts';
import { normalizeEmail } from '../../../../lib/format/email-address.ts';
import { languageOf } from '../../../../lib/format/language.ts';
import { type Refusal, refusalOf, refuse } from '../../../../web/attempt.ts';
import { type UserVisit, userPage } from '../../../../web/define-page.ts';
import { type Field, renderChoice, renderFields } from '../../../../web/fields.ts';
import { renderForm } from '../../../../web/form-page.ts';
import { type Html, html } from '../../../../web/html.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { pickFields } from '../../../../web/pick.ts';
import { languageNames, type Me, readMe } from '../../../../web/shell.ts';
import { flashMessage, openUserFlow, rejectStaleForm } from '../../../../web/user-page.ts';
import { texts } from '../texts.ts';
import { renderAccountPage } from './account-page.ts';
import { organizationsPath } from './organizations.ts';

const path = '/account/data';

/** The page on which users export their data or delete their account. */
export const dataPages = {
  'pages.data.show': userPage({
    rest: `GET ${path}`,
    summary: 'Show how to export the data and delete the account',
    handler: async (visit) => renderData(visit, await readMe(visit)),
  }),
  'pages.data.delete': userPage({
    rest: `POST ${path}/delete`,
    summary: 'Delete the account',
    handler: deleteAccount,
  }),
};

async function deleteAccount(visit: UserVisit): Promise<PageAnswer> {
  const { ctx, form, browser } = visit;
  const { email: typed } = pickFields(form, 'email');
  const me = await readMe(visit);
  const { email } = me;
  const isMeant = email !== null && normalizeEmail(typed) === normalizeEmail(email);
  const refusal =
    rejectStaleForm(visit, path) ??
    (isMeant
      ? await refusalOf([], () => call(ctx, 'identity.me.delete', {}))
      : refuse({ email: texts().data.emailWrong }));
  if (refusal) return renderData(visit, me, refusal, typed);
  browser.signOut();
  return redirectTo('/self-service/login/browser?notice=account-deleted');
}

async function renderData(visit: UserVisit, me: Me, refusal?: Refusal, typed = ''): Promise<PageAnswer> {
  const t = texts().data;
  const field = {
    name: 'email',
    label: t.email,
    type: 'email',
    autocomplete: 'off',
    inputmode: 'email',
    hint: t.emailHint(me.email),
    value: typed,
    isRequired: true,
  } as const;
  return await renderAccountPage(visit, {
    page: 'data',
    me,
    title: t.title,
    refusal,
    body: html`<h2>${t.exportTitle}</h2>
<p>${t.exportLead}</p>
<p><a class="btn" href="/identity/me/export" download>${t.download}</a></p>
<h2>${t.deleteTitle}</h2>
<p>${t.deleteLead}</p>
${renderForm({
  action: `${path}/delete`,
  flow: openUserFlow(visit, path),
  fields: renderFields([field], refusal?.errors),
  submit: t.submit,
  isDangerous: true,
})}`,
  });
}

const profilePath = '/account';
const names = [
  'firstName',
  'middleName',
  'lastName',
  'preferredName',
  'displayName',
  'birthDate',
  'gender',
  'avatarUrl',
  'language',
] as const;

type Values = Record<(typeof names)[number], string | null>;

/** The page of the user's profile. */
export const profilePages = {
  'pages.profile.show': userPage({
    rest: `GET ${profilePath}`,
    summary: 'Show the profile of the user',
    handler: (visit) => renderProfile(visit),
  }),
  'pages.profile.save': userPage({
    rest: `POST ${profilePath}`,
    summary: 'Change the profile',
    handler: saveProfile,
  }),
};

async function saveProfile(visit: UserVisit): Promise<PageAnswer> {
  const typed = pickFields(visit.form, ...names);
  const refusal = rejectStaleForm(visit, profilePath) ?? (await refusalOf(names, () => update(visit)));
  if (refusal) return renderProfile(visit, typed, refusal);
  if (typed.language !== undefined) visit.browser.keepLanguage(languageOf(typed.language));
  return redirectTo(`${profilePath}?done=saved`);
}

/** An empty field is unset. */
function update({ ctx, form }: UserVisit): Promise<unknown> {
  const sent = names.filter((name) => form[name] !== undefined);
  const body = Object.fromEntries(sent.map((name) => [name, form[name]?.trim() === '' ? null : form[name]]));
  return call(ctx, 'identity.me.update', { body });
}

async function renderProfile(visit: UserVisit, typed?: Values, refusal?: Refusal): Promise<PageAnswer> {
  const me = await readMe(visit);
  const { profile: t, buttons } = texts();
  return await renderAccountPage(visit, {
    page: 'profile',
    me,
    title: t.title,
    notice: flashMessage(visit, t.notices),
    refusal,
    body: html`${renderFirstStep(me)}
<p>${t.loginEmail(me.email)}</p>
${renderForm({
  action: profilePath,
  flow: openUserFlow(visit, profilePath),
  fields: html`${renderFields(fieldsOf(typed ?? me), refusal?.errors)}${renderLanguage((typed ?? me).language, refusal?.errors.language)}`,
  submit: buttons.save,
})}`,
  });
}

function renderLanguage(chosen: string | null, error: string | undefined): Html {
  const { language, followsBrowser } = texts().profile.fields;
  const options = [['', followsBrowser], ...Object.entries(languageNames)] as const;
  return renderChoice({ name: 'language', label: language, options }, chosen, error);
}

/** The next step of a user without an organization. */
function renderFirstStep({ organizations }: Me): Html | null {
  if (organizations.length > 0) return null;
  const { none, create } = texts().organizations;
  return html`<p class="empty">${none} <a href="${organizationsPath}">${create}</a></p>`;
}

function fieldsOf(values: Values): Field[] {
  const { profile, fields } = texts();
  const t = profile.fields;
  const all: Omit<Field, 'value'>[] = [
    { name: 'firstName', label: fields.firstName, autocomplete: 'given-name' },
    { name: 'middleName', label: t.middleName, autocomplete: 'additional-name' },
    { name: 'lastName', label: fields.lastName, autocomplete: 'family-name' },
    { name: 'preferredName', label: t.preferredName, autocomplete: 'nickname' },
    {
      name: 'displayName',
      label: t.displayName,
      autocomplete: 'name',
    },
    { name: 'birthDate', label: t.birthDate, type: 'date', autocomplete: 'bday' },
    { name: 'gender', label: t.gender, autocomplete: 'sex' },
    { name: 'avatarUrl', label: t.avatarUrl, type: 'url', autocomplete: 'photo', inputmode: 'url' },
  ];
  return all.map((field) => ({ ...field, value: values[field.name as keyof Values] }));
}
