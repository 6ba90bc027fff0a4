import { call } from '../../../lib/calls.ts';
import { clearCookie } from '../../cookies.ts';
import { type Refusal, refusalOf, refuse } from '../attempt.ts';
import { showFields } from '../fields.ts';
import { pick } from '../form.ts';
import { showForm } from '../form-page.ts';
import { html } from '../html.ts';
import { redirect } from '../page.ts';
import { openUserFlow, refuseStale, type UserVisit } from '../user-page.ts';
import { accountPage, sendAccountPage } from './account-page.ts';

const path = '/account/data';

/** The page on which users export their data or delete their account. */
export const dataRoutes = {
  [`GET ${path}`]: accountPage(path, (visit) => showData(visit)),
  [`POST ${path}/delete`]: accountPage(path, deleteAccount),
};

async function deleteAccount(visit: UserVisit): Promise<void> {
  const { ctx, form, response } = visit;
  const { email: typed } = pick(form, 'email');
  const email = await readEmail(visit);
  const isMeant = typed.trim().toLowerCase() === email?.toLowerCase();
  const refusal =
    refuseStale(visit, path) ??
    (isMeant
      ? await refusalOf([], () => call(ctx, 'identity.me.delete', {}))
      : refuse({ email: 'This is not the address you log in with, so nothing was deleted.' }));
  if (refusal) return showData(visit, refusal, typed);
  clearCookie(response, 'session');
  redirect(response, '/self-service/login/browser?notice=account-deleted');
}

async function showData(visit: UserVisit, refusal?: Refusal, typed = ''): Promise<void> {
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
  sendAccountPage(visit, {
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
