import { call } from '../../../../lib/calls.ts';
import { normalizeEmail } from '../../../../lib/email-address.ts';
import { type Refusal, refusalOf, refuse } from '../../../../web/attempt.ts';
import { type UserVisit, userPage } from '../../../../web/define-page.ts';
import { renderFields } from '../../../../web/fields.ts';
import { renderForm } from '../../../../web/form-page.ts';
import { html } from '../../../../web/html.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { pickFields } from '../../../../web/pick.ts';
import { openUserFlow, rejectStaleForm } from '../../../../web/user-page.ts';
import { texts } from '../texts.ts';
import { renderAccountPage } from './account-page.ts';

const path = '/account/data';

/** The page on which users export their data or delete their account. */
export const dataPages = {
  'pages.data.show': userPage({
    rest: `GET ${path}`,
    summary: 'Show how to export the data and delete the account',
    handler: (visit) => renderData(visit),
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
  const email = await readEmail(visit);
  const isMeant = email !== null && normalizeEmail(typed) === normalizeEmail(email);
  const refusal =
    rejectStaleForm(visit, path) ??
    (isMeant
      ? await refusalOf([], () => call(ctx, 'identity.me.delete', {}))
      : refuse({ email: texts().data.emailWrong }));
  if (refusal) return renderData(visit, refusal, typed);
  browser.signOut();
  return redirectTo('/self-service/login/browser?notice=account-deleted');
}

async function renderData(visit: UserVisit, refusal?: Refusal, typed = ''): Promise<PageAnswer> {
  const t = texts().data;
  const field = {
    name: 'email',
    label: t.email,
    type: 'email',
    autocomplete: 'off',
    inputmode: 'email',
    hint: t.emailHint(await readEmail(visit)),
    value: typed,
    isRequired: true,
  } as const;
  return renderAccountPage({
    path,
    title: t.title,
    refusal,
    body: html`<h2>${t.exportTitle}</h2>
<p>${t.exportLead}</p>
<p><a class="button quiet" href="/identity/me/export" download>${t.download}</a></p>
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

async function readEmail({ ctx }: UserVisit): Promise<string | null> {
  const me = await call(ctx, 'identity.me.read', {});
  return me.type === 'user' ? me.email : null;
}
