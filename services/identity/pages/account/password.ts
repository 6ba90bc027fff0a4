import { call } from '../../../../lib/calls.ts';
import { type Refusal, refusalOf, refuseMissing } from '../../../../web/attempt.ts';
import { type UserVisit, userPage } from '../../../../web/define-page.ts';
import { renderFields } from '../../../../web/fields.ts';
import { renderForm } from '../../../../web/form-page.ts';
import { html } from '../../../../web/html.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { pickFields } from '../../../../web/pick.ts';
import { flashMessage, openUserFlow, rejectStaleForm } from '../../../../web/user-page.ts';
import { newPasswordField } from '../registration.ts';
import { texts } from '../texts.ts';
import { renderAccountPage } from './account-page.ts';

const path = '/account/password';
const names = ['currentPassword', 'newPassword'] as const;

export const passwordPages = {
  'pages.password.show': userPage({
    rest: `GET ${path}`,
    summary: 'Show the page for changing the password',
    handler: (visit) => renderPassword(visit),
  }),
  'pages.password.change': userPage({
    rest: `POST ${path}`,
    summary: 'Change the password',
    handler: changePassword,
  }),
};

async function changePassword(visit: UserVisit): Promise<PageAnswer> {
  const { fields, password } = texts();
  const body = pickFields(visit.form, ...names);
  const refusal =
    rejectStaleForm(visit, path) ??
    refuseMissing(body, {
      currentPassword: fields.currentPasswordMissing,
      newPassword: password.newPasswordMissing,
    }) ??
    (await refusalOf(names, () => call(visit.ctx, 'identity.accounts.change-password', { body })));
  if (refusal) return renderPassword(visit, refusal);
  return redirectTo(`${path}?done=changed`);
}

function renderPassword(visit: UserVisit, refusal?: Refusal): PageAnswer {
  const { password: t, fields, buttons } = texts();
  const current = {
    name: 'currentPassword',
    label: fields.currentPassword,
    type: 'password',
    autocomplete: 'current-password',
    isRequired: true,
  } as const;
  return renderAccountPage({
    path,
    title: t.title,
    notice: flashMessage(visit, t.notices),
    refusal,
    body: html`<p>${t.lead}</p>
${renderForm({
  action: path,
  flow: openUserFlow(visit, path),
  fields: renderFields([current, newPasswordField('newPassword', fields.newPassword)], refusal?.errors),
  submit: buttons.changePassword,
})}`,
  });
}
