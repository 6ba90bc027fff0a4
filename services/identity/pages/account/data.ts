import { call } from '../../../../lib/calls.ts';
import { normalizeEmail } from '../../../../lib/email-address.ts';
import { type Refusal, refusalOf, refuse } from '../../../../web/attempt.ts';
import { type UserVisit, userPage } from '../../../../web/define-page.ts';
import { showFields } from '../../../../web/fields.ts';
import { showForm } from '../../../../web/form-page.ts';
import { html } from '../../../../web/html.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { pick } from '../../../../web/pick.ts';
import { openUserFlow, refuseStale } from '../../../../web/user-page.ts';
import { texts } from '../texts.ts';
import { showAccountPage } from './account-page.ts';

const path = '/account/data';

/** The page on which users export their data or delete their account. */
export const dataPages = {
  'pages.data.show': userPage({
    rest: `GET ${path}`,
    summary: 'Show how to export the data and delete the account',
    handler: (visit) => showData(visit),
  }),
  'pages.data.delete': userPage({
    rest: `POST ${path}/delete`,
    summary: 'Delete the account',
    handler: deleteAccount,
  }),
};

async function deleteAccount(visit: UserVisit): Promise<PageAnswer> {
  const { ctx, form, browser } = visit;
  const { email: typed } = pick(form, 'email');
  const email = await readEmail(visit);
  const isMeant = email !== null && normalizeEmail(typed) === normalizeEmail(email);
  const refusal =
    refuseStale(visit, path) ??
    (isMeant
      ? await refusalOf([], () => call(ctx, 'identity.me.delete', {}))
      : refuse({ email: texts().data.emailWrong }));
  if (refusal) return showData(visit, refusal, typed);
  browser.signOut();
  return redirectTo('/self-service/login/browser?notice=account-deleted');
}

async function showData(visit: UserVisit, refusal?: Refusal, typed = ''): Promise<PageAnswer> {
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
  return showAccountPage({
    path,
    title: t.title,
    refusal,
    body: html`<h2>${t.exportTitle}</h2>
<p>${t.exportLead}</p>
<p><a class="button quiet" href="/identity/me/export" download>${t.download}</a></p>
<h2>${t.deleteTitle}</h2>
<p>${t.deleteLead}</p>
${showForm({
  action: `${path}/delete`,
  flow: openUserFlow(visit, path),
  fields: showFields([field], refusal?.errors),
  submit: t.submit,
  isDangerous: true,
})}`,
  });
}

async function readEmail({ ctx }: UserVisit): Promise<string | null> {
  const me = await call(ctx, 'identity.me.read', {});
  return me.type === 'user' ? me.email : null;
}
