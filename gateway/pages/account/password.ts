import { call } from '../../../lib/calls.ts';
import { type Refusal, refusalOf, refuseMissing } from '../attempt.ts';
import { showFields } from '../fields.ts';
import { pick } from '../form.ts';
import { showForm } from '../form-page.ts';
import { html } from '../html.ts';
import { redirect } from '../page.ts';
import { newPasswordField } from '../registration.ts';
import { noticeOf, openUserFlow, refuseStale, type UserVisit } from '../user-page.ts';
import { accountPage, sendAccountPage } from './account-page.ts';

const path = '/account/password';
const names = ['currentPassword', 'newPassword'] as const;

export const passwordRoutes = {
  [`GET ${path}`]: accountPage(path, async (visit) => showPassword(visit)),
  [`POST ${path}`]: accountPage(path, changePassword),
};

async function changePassword(visit: UserVisit): Promise<void> {
  const body = pick(visit.form, ...names);
  const refusal =
    refuseStale(visit, path) ??
    refuseMissing(body, { currentPassword: 'Type your current password.', newPassword: 'Choose a new password.' }) ??
    (await refusalOf(names, () => call(visit.ctx, 'identity.accounts.change-password', { body })));
  if (refusal) return showPassword(visit, refusal);
  redirect(visit.response, `${path}?done=changed`);
}

function showPassword(visit: UserVisit, refusal?: Refusal): void {
  const current = {
    name: 'currentPassword',
    label: 'Current password',
    type: 'password',
    autocomplete: 'current-password',
    isRequired: true,
  } as const;
  sendAccountPage(visit, {
    path,
    title: 'Password',
    notice: noticeOf(visit, { changed: 'Your password is changed. All other browsers are logged out.' }),
    refusal,
    body: html`<p>When you change it, all other browsers that are logged in are logged out.</p>
${showForm({
  action: path,
  flow: openUserFlow(visit, path),
  fields: showFields([current, newPasswordField('newPassword', 'New password')], refusal?.errors),
  submit: 'Change the password',
})}`,
  });
}
