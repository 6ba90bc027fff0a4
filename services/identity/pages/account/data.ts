import { call } from '../../../../lib/calls.ts';
import { type Refusal, refusalOf, refuse } from '../../../../web/attempt.ts';
import { type UserVisit, userPage } from '../../../../web/define-page.ts';
import { showFields } from '../../../../web/fields.ts';
import { showForm } from '../../../../web/form-page.ts';
import { html } from '../../../../web/html.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { pick } from '../../../../web/pick.ts';
import { openUserFlow, refuseStale } from '../../../../web/user-page.ts';
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
  const isMeant = typed.trim().toLowerCase() === email?.toLowerCase();
  const refusal =
    refuseStale(visit, path) ??
    (isMeant
      ? await refusalOf([], () => call(ctx, 'identity.me.delete', {}))
      : refuse({ email: 'This is not the address you log in with, so nothing was deleted.' }));
  if (refusal) return showData(visit, refusal, typed);
  browser.signOut();
  return redirectTo('/self-service/login/browser?notice=account-deleted');
}

async function showData(visit: UserVisit, refusal?: Refusal, typed = ''): Promise<PageAnswer> {
  const field = {
    name: 'email',
    label: 'Your email address, to confirm',
    type: 'email',
    autocomplete: 'off',
    inputmode: 'email',
    hint: html`Type <strong>${await readEmail(visit)}</strong>.`,
    value: typed,
    isRequired: true,
  } as const;
  return showAccountPage({
    path,
    title: 'Your data',
    refusal,
    body: html`<h2>Take it along</h2>
<p>A file with all that is stored about you: your profile, contacts, addresses, memberships, sessions and what you did.</p>
<p><a class="button quiet" href="/identity/me/export" download>Download the file</a></p>
<h2>Delete your account</h2>
<p>You are logged out everywhere, and your profile, contacts, addresses and memberships are deleted. Nobody can undo
this. What your organizations store stays theirs.</p>
${showForm({
  action: `${path}/delete`,
  flow: openUserFlow(visit, path),
  fields: showFields([field], refusal?.errors),
  submit: 'Delete my account',
  isDangerous: true,
})}`,
  });
}

async function readEmail({ ctx }: UserVisit): Promise<string | null> {
  const me = await call(ctx, 'identity.me.read', {});
  return me.type === 'user' ? me.email : null;
}
