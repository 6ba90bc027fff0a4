import { type CallOutput, call } from '../../../../lib/calls.ts';
import { type Refusal, refusalOf } from '../../../../web/attempt.ts';
import { renderConfirmedForm } from '../../../../web/confirm.ts';
import { type UserVisit, userPage } from '../../../../web/define-page.ts';
import { flowField } from '../../../../web/flow.ts';
import { type Html, html } from '../../../../web/html.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { pickFields } from '../../../../web/pick.ts';
import { renderTime, timeInWords } from '../../../../web/time.ts';
import { flashMessage, openUserFlow, rejectStaleForm } from '../../../../web/user-page.ts';
import { texts } from '../texts.ts';
import { renderAccountPage } from './account-page.ts';

const path = '/account/sessions';
const maxShown = '100';

type Session = CallOutput<'identity.sessions.list'>['data'][number];

/** The page of the user's sessions, on which each can be ended. */
export const sessionsPages = {
  'pages.sessions.show': userPage({
    rest: `GET ${path}`,
    summary: 'Show the sessions of the user',
    handler: (visit) => renderSessions(visit),
  }),
  'pages.sessions.end': userPage({
    rest: `POST ${path}/end`,
    summary: 'End a session',
    handler: endSession,
  }),
  'pages.sessions.end-others': userPage({
    rest: `POST ${path}/end-others`,
    summary: 'End all other sessions',
    handler: endOthers,
  }),
};

async function endSession(visit: UserVisit): Promise<PageAnswer> {
  const { sessionId: id } = pickFields(visit.form, 'sessionId');
  const refusal =
    rejectStaleForm(visit, path) ??
    (await refusalOf([], () => call(visit.ctx, 'identity.sessions.revoke', { path: { id } })));
  if (refusal) return renderSessions(visit, refusal);
  return redirectTo(`${path}?done=ended`);
}

async function endOthers(visit: UserVisit): Promise<PageAnswer> {
  pickFields(visit.form);
  const refusal =
    rejectStaleForm(visit, path) ?? (await refusalOf([], () => call(visit.ctx, 'identity.sessions.revoke-others', {})));
  if (refusal) return renderSessions(visit, refusal);
  return redirectTo(`${path}?done=others-ended`);
}

async function renderSessions(visit: UserVisit, refusal?: Refusal): Promise<PageAnswer> {
  const { data: sessions, nextCursor } = await call(visit.ctx, 'identity.sessions.list', {
    query: { limit: maxShown },
  });
  const flow = openUserFlow(visit, path);
  const t = texts().sessions;
  const hasOthers = sessions.some(({ current }) => !current);
  return renderAccountPage({
    path,
    title: t.title,
    notice: flashMessage(visit, t.notices),
    refusal,
    body: html`<p>${t.lead}</p>
<ul class="items">${sessions.map((session) => renderSession(session, flow))}</ul>
${
  hasOthers &&
  html`${nextCursor && html`<p class="hint">${t.onlyNewest(maxShown)}</p>`}
${renderConfirmedForm({ id: 'end-others', action: `${path}/end-others`, flow, submit: t.endOthers, ...t.confirmation })}`
}`,
  });
}

function renderSession({ id, device, address, createdAt, lastUsedAt, current }: Session, flow: string): Html {
  const t = texts().sessions;
  return html`<li><h2>${device}${current && html` <span class="tag">${t.current}</span>`}</h2>
<p class="hint">${t.origin(address, renderTime(createdAt))}</p>
<p class="hint">${t.lastUsed(renderTime(lastUsedAt))}</p>
${
  !current &&
  html`<form method="post" action="${path}/end" class="acts">${flowField(flow)}
<input type="hidden" name="sessionId" value="${id}">
<button class="quiet danger" aria-label="${t.nameOfEnd(device, timeInWords(createdAt))}">${t.end}</button></form>`
}</li>`;
}
