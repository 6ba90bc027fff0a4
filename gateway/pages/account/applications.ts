import { type CallOutput, call } from '../../../lib/calls.ts';
import { describeScope } from '../../oauth/scope-words.ts';
import { type Refusal, refusalOf } from '../attempt.ts';
import { flowField } from '../flow.ts';
import { pick } from '../form.ts';
import { type Html, html } from '../html.ts';
import { redirect } from '../page.ts';
import { showTime } from '../time.ts';
import { noticeOf, openUserFlow, refuseStale, type UserVisit } from '../user-page.ts';
import { accountPage, sendAccountPage } from './account-page.ts';

const path = '/account/applications';
const maxShown = '100';

type Application = CallOutput<'identity.oauth.my-applications.list'>['data'][number];

/** The page of the applications that may act for the user, on which each grant can be revoked. */
export const applicationsRoutes = {
  [`GET ${path}`]: accountPage(path, (visit) => showApplications(visit)),
  [`POST ${path}/withdraw`]: accountPage(path, withdraw),
};

async function withdraw(visit: UserVisit): Promise<void> {
  const { clientId } = pick(visit.form, 'clientId');
  const refusal =
    refuseStale(visit, path) ??
    (await refusalOf([], () => call(visit.ctx, 'identity.oauth.my-applications.withdraw', { path: { clientId } })));
  if (refusal) return showApplications(visit, refusal);
  redirect(visit.response, `${path}?done=withdrawn`);
}

async function showApplications(visit: UserVisit, refusal?: Refusal): Promise<void> {
  const query = { limit: maxShown };
  const { data: applications } = await call(visit.ctx, 'identity.oauth.my-applications.list', { query });
  const flow = openUserFlow(visit, path);
  sendAccountPage(visit, {
    path,
    title: 'Applications',
    notice: noticeOf(visit, { withdrawn: 'The application may do nothing for you any more.' }),
    refusal,
    body: html`<p>These applications may act for you. What you take away from one, it has to ask you for again.</p>
${applications.length === 0 && html`<p class="hint">You have allowed no application anything.</p>`}
<ul class="items">${applications.map((application) => showApplication(application, flow))}</ul>`,
  });
}

function showApplication(
  { clientId, name, organization, scopes, firstParty, createdAt }: Application,
  flow: string,
): Html {
  return html`<li><h2>${name}</h2>
<p class="hint">Of ${organization.name}, ${firstParty ? 'part of this platform, used since' : 'allowed'} ${showTime(createdAt)}</p>
<p>It may:</p>
<ul>${scopes.map((scope) => html`<li>${describeScope(scope)}</li>`)}</ul>
<form method="post" action="${path}/withdraw" class="acts">${flowField(flow)}
<input type="hidden" name="clientId" value="${clientId}">
<button class="quiet danger" aria-label="Withdraw: ${name}">Withdraw</button>
</form></li>`;
}
