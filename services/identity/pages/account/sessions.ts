import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import { type Refusal, refusalOf, rejectMissing } from '../../../../web/attempt.ts';
import { renderConfirmedForm } from '../../../../web/confirm.ts';
import { type UserVisit, userPage } from '../../../../web/define-page.ts';
import { renderFields } from '../../../../web/fields.ts';
import { flowField } from '../../../../web/flow.ts';
import { renderForm } from '../../../../web/form-page.ts';
import { type Html, html } from '../../../../web/html.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { pickFields } from '../../../../web/pick.ts';
import { describeScope } from '../../../../web/scope-words.ts';
import { renderEmpty } from '../../../../web/table.ts';
import { renderTime, timeInWords } from '../../../../web/time.ts';
import { flashMessage, openUserFlow, rejectStaleForm } from '../../../../web/user-page.ts';
import { deviceInWords } from '../device.ts';
import { newPasswordField } from '../registration.ts';
import { texts } from '../texts.ts';
import { renderAccountPage } from './account-page.ts';

const path = '/account/applications';
const maxShown = '100';

type Application = CallOutput<'identity.oauth.my-applications.list'>['data'][number];

/** The page of the applications that may act for the user, on which each grant can be revoked. */
export const applicationsPages = {
  'pages.applications.show': userPage({
    rest: `GET ${path}`,
    summary: 'Show the applications that may act for the user',
    handler: (visit) => renderApplications(visit),
  }),
  'pages.applications.withdraw': userPage({
    rest: `POST ${path}/withdraw`,
    summary: 'Withdraw what an application may do',
    handler: withdraw,
  }),
};

async function withdraw(visit: UserVisit): Promise<PageAnswer> {
  const { clientId } = pickFields(visit.form, 'clientId');
  const refusal =
    rejectStaleForm(visit, path) ??
    (await refusalOf([], () => call(visit.ctx, 'identity.oauth.my-applications.withdraw', { path: { clientId } })));
  if (refusal) return renderApplications(visit, refusal);
  return redirectTo(`${path}?done=withdrawn`);
}

async function renderApplications(visit: UserVisit, refusal?: Refusal): Promise<PageAnswer> {
  const query = { limit: maxShown };
  const { data: applications } = await call(visit.ctx, 'identity.oauth.my-applications.list', { query });
  const flow = openUserFlow(visit, path);
  const t = texts().applications;
  return await renderAccountPage(visit, {
    page: 'applications',
    title: t.title,
    notice: flashMessage(visit, t.notices),
    refusal,
    body: html`<p>${t.lead}</p>
${applications.length === 0 && renderEmpty(t.none)}
<ul class="items">${applications.map((application) => renderApplication(application, flow))}</ul>`,
  });
}

function renderApplication(
  { clientId, name, organization, scopes, firstParty, createdAt }: Application,
  flow: string,
): Html {
  const { applications: t, nameOfButton } = texts();
  const since = firstParty ? t.usedSince : t.allowed;
  return html`<li><h2>${name}</h2>
<p class="hint">${since(organization.name, renderTime(createdAt))}</p>
<p>${t.scopes}</p>
<ul>${scopes.map((scope) => html`<li>${describeScope(scope)}</li>`)}</ul>
<form method="post" action="${path}/withdraw" class="acts">${flowField(flow)}
<input type="hidden" name="clientId" value="${clientId}">
<button class="btn danger" aria-label="${nameOfButton(t.withdraw, name)}">${t.withdraw}</button>
</form></li>`;
}

const passwordPath = '/account/password';
const names = ['currentPassword', 'newPassword'] as const;

export const passwordPages = {
  'pages.password.show': userPage({
    rest: `GET ${passwordPath}`,
    summary: 'Show the page for changing the password',
    handler: (visit) => renderPassword(visit),
  }),
  'pages.password.change': userPage({
    rest: `POST ${passwordPath}`,
    summary: 'Change the password',
    handler: changePassword,
  }),
};

async function changePassword(visit: UserVisit): Promise<PageAnswer> {
  const { fields, password } = texts();
  const body = pickFields(visit.form, ...names);
  const refusal =
    rejectStaleForm(visit, passwordPath) ??
    rejectMissing(body, {
      currentPassword: fields.currentPasswordMissing,
      newPassword: password.newPasswordMissing,
    }) ??
    (await refusalOf(names, () => call(visit.ctx, 'identity.accounts.change-password', { body })));
  if (refusal) return renderPassword(visit, refusal);
  return redirectTo(`${passwordPath}?done=changed`);
}

async function renderPassword(visit: UserVisit, refusal?: Refusal): Promise<PageAnswer> {
  const { password: t, fields, buttons } = texts();
  const current = {
    name: 'currentPassword',
    label: fields.currentPassword,
    type: 'password',
    autocomplete: 'current-password',
    isRequired: true,
  } as const;
  return await renderAccountPage(visit, {
    page: 'password',
    title: t.title,
    notice: flashMessage(visit, t.notices),
    refusal,
    body: html`<p>${t.lead}</p>
${renderForm({
  action: passwordPath,
  flow: openUserFlow(visit, passwordPath),
  fields: renderFields([current, newPasswordField('newPassword', fields.newPassword)], refusal?.errors),
  submit: buttons.changePassword,
})}`,
  });
}

const sessionsPath = '/account/sessions';

type Session = CallOutput<'identity.sessions.list'>['data'][number];

/** The page of the user's sessions, on which each can be ended. */
export const sessionsPages = {
  'pages.sessions.show': userPage({
    rest: `GET ${sessionsPath}`,
    summary: 'Show the sessions of the user',
    handler: (visit) => renderSessions(visit),
  }),
  'pages.sessions.end': userPage({
    rest: `POST ${sessionsPath}/end`,
    summary: 'End a session',
    handler: endSession,
  }),
  'pages.sessions.end-others': userPage({
    rest: `POST ${sessionsPath}/end-others`,
    summary: 'End all other sessions',
    handler: endOthers,
  }),
};

async function endSession(visit: UserVisit): Promise<PageAnswer> {
  const { sessionId: id } = pickFields(visit.form, 'sessionId');
  const refusal =
    rejectStaleForm(visit, sessionsPath) ??
    (await refusalOf([], () => call(visit.ctx, 'identity.sessions.revoke', { path: { id } })));
  if (refusal) return renderSessions(visit, refusal);
  return redirectTo(`${sessionsPath}?done=ended`);
}

async function endOthers(visit: UserVisit): Promise<PageAnswer> {
  pickFields(visit.form);
  const refusal =
    rejectStaleForm(visit, sessionsPath) ??
    (await refusalOf([], () => call(visit.ctx, 'identity.sessions.revoke-others', {})));
  if (refusal) return renderSessions(visit, refusal);
  return redirectTo(`${sessionsPath}?done=others-ended`);
}

async function renderSessions(visit: UserVisit, refusal?: Refusal): Promise<PageAnswer> {
  const { data: sessions, nextCursor } = await call(visit.ctx, 'identity.sessions.list', {
    query: { limit: maxShown },
  });
  const flow = openUserFlow(visit, sessionsPath);
  const t = texts().sessions;
  const hasOthers = sessions.some(({ current }) => !current);
  return await renderAccountPage(visit, {
    page: 'sessions',
    title: t.title,
    notice: flashMessage(visit, t.notices),
    refusal,
    body: html`<p>${t.lead}</p>
<ul class="items">${sessions.map((session) => renderSession(session, flow))}</ul>
${
  hasOthers &&
  html`${nextCursor && html`<p class="hint">${t.onlyNewest(maxShown)}</p>`}
${renderConfirmedForm({ id: 'end-others', action: `${sessionsPath}/end-others`, flow, submit: t.endOthers, ...t.confirmation })}`
}`,
  });
}

function renderSession({ id, device: named, address, createdAt, lastUsedAt, current }: Session, flow: string): Html {
  const device = deviceInWords(named);
  const t = texts().sessions;
  return html`<li><h2>${device}${current && html` <span class="badge">${t.current}</span>`}</h2>
<p class="hint">${t.origin(address, renderTime(createdAt))}</p>
<p class="hint">${t.lastUsed(renderTime(lastUsedAt))}</p>
${
  !current &&
  html`<form method="post" action="${sessionsPath}/end" class="acts">${flowField(flow)}
<input type="hidden" name="sessionId" value="${id}">
<button class="btn danger" aria-label="${t.nameOfEnd(device, timeInWords(createdAt))}">${t.end}</button></form>`
}</li>`;
}
