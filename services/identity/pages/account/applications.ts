import { type CallOutput, call } from '../../../../lib/calls.ts';
import { type Refusal, refusalOf } from '../../../../web/attempt.ts';
import { type UserVisit, userPage } from '../../../../web/define-page.ts';
import { flowField } from '../../../../web/flow.ts';
import { type Html, html } from '../../../../web/html.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { pickFields } from '../../../../web/pick.ts';
import { describeScope } from '../../../../web/scope-words.ts';
import { renderEmpty } from '../../../../web/table.ts';
import { renderTime } from '../../../../web/time.ts';
import { flashMessage, openUserFlow, rejectStaleForm } from '../../../../web/user-page.ts';
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
  return renderAccountPage({
    path,
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
<button class="quiet danger" aria-label="${nameOfButton(t.withdraw, name)}">${t.withdraw}</button>
</form></li>`;
}
