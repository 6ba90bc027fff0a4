import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import type { Refusal } from '../../../../web/attempt.ts';
import { renderConfirmedForm } from '../../../../web/confirm.ts';
import { withQuery } from '../../../../web/filters.ts';
import { type Html, html } from '../../../../web/html.ts';
import { renderIcon } from '../../../../web/icons.ts';
import { type OrganizationVisit, organizationPage } from '../../../../web/organization-page.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { pickFields } from '../../../../web/pick.ts';
import { nameOfUser } from '../../../../web/shell.ts';
import { renderBadge } from '../../../../web/states.ts';
import { renderEmpty, renderPager } from '../../../../web/table.ts';
import { renderDay, renderWhenWithin } from '../../../../web/time.ts';
import { deviceInWords } from '../device.ts';
import { texts } from '../texts.ts';
import {
  may,
  openUsersFlow,
  readUserInPath,
  refusalInWords,
  rejectUsersForm,
  renderUser,
  type User,
  userPath,
} from './users-page.ts';

/** Where a user is logged in. Sessions are for all organizations of the user. */
export const userSessionsPages = {
  'pages.console.users.sessions.list': organizationPage('users', {
    rest: 'GET /:userId/sessions',
    summary: 'Show the sessions of a user',
    handler: async (visit) => renderSessions(visit, await readUserInPath(visit)),
  }),
  'pages.console.users.sessions.end': organizationPage('users', {
    rest: 'POST /:userId/sessions/end',
    summary: 'End a session of a user',
    async handler(visit) {
      const { sessionId } = pickFields(visit.form, 'sessionId');
      return await end(visit, 'session-ended', (userId) =>
        call(visit.ctx, 'identity.users.revoke-session', { path: { userId, sessionId }, query: {} }),
      );
    },
  }),
  'pages.console.users.sessions.end-all': organizationPage('users', {
    rest: 'POST /:userId/sessions/end-all',
    summary: 'End all sessions of a user',
    async handler(visit) {
      pickFields(visit.form);
      return await end(visit, 'sessions-ended', (userId) =>
        call(visit.ctx, 'identity.users.revoke-sessions', { path: { userId }, query: {} }),
      );
    },
  }),
};

const writePermission = 'console.users.write';
const pageSize = '50';

type Session = CallOutput<'identity.users.list-sessions'>['data'][number];

async function end(
  visit: OrganizationVisit,
  done: string,
  work: (userId: string) => Promise<void>,
): Promise<PageAnswer> {
  const user = await readUserInPath(visit);
  const refusal = rejectUsersForm(visit, writePermission) ?? (await refusalInWords([], () => work(user.id)));
  if (refusal) return renderSessions(visit, user, refusal);
  return redirectTo(userPath(visit, user.id, ['sessions'], { done }));
}

async function renderSessions(visit: OrganizationVisit, user: User, refusal?: Refusal): Promise<PageAnswer> {
  const { cursor } = visit.query;
  const isLater = typeof cursor === 'string' && !refusal;
  const { data, nextCursor } = await call(visit.ctx, 'identity.users.list-sessions', {
    path: { userId: user.id },
    query: { limit: pageSize, ...(isLater && { cursor }) },
  });
  const here = userPath(visit, user.id, ['sessions']);
  const t = texts().people.user.sessions;
  const mayEnd = may(visit, writePermission);
  return renderUser(visit, {
    tab: 'sessions',
    user,
    refusal,
    body: html`<div class="sec-head"><h2>${t.title}</h2>${mayEnd && data.length > 0 && renderEndAll(visit, user)}</div>
${data.length === 0 ? renderEmpty(t.none) : html`<ul class="list">${data.map((session) => renderSession(visit, user, session, mayEnd))}</ul>`}
${renderPager({ next: nextCursor && withQuery(here, { cursor: nextCursor }), first: isLater ? here : null })}`,
  });
}

function renderSession(visit: OrganizationVisit, user: User, session: Session, mayEnd: boolean): Html {
  const t = texts().people.user.sessions;
  const { id, address, createdAt, lastUsedAt, current } = session;
  const device = deviceInWords(session.device);
  const { question, ...words } = t.end;
  return html`<li><span class="ico">${renderIcon('device', 'xs')}</span><span class="grow"><b>${device}</b>${current && html` ${renderBadge(t.current)}`}<span class="quiet sub-line">${t.origin(address, renderWhenWithin(lastUsedAt))}</span></span><span class="when desk">${t.since(renderDay(createdAt))}</span>
${
  mayEnd &&
  renderConfirmedForm({
    id: `end-${id}`,
    action: userPath(visit, user.id, ['sessions', 'end']),
    flow: openUsersFlow(visit),
    fields: html`<input type="hidden" name="sessionId" value="${id}">`,
    question: question(device),
    isMild: true,
    ...words,
  })
}</li>
`;
}

function renderEndAll(visit: OrganizationVisit, user: User): Html {
  const { question, ...words } = texts().people.user.sessions.endAll;
  return renderConfirmedForm({
    id: 'end-all',
    action: userPath(visit, user.id, ['sessions', 'end-all']),
    flow: openUsersFlow(visit),
    question: question(nameOfUser(user)),
    ...words,
  });
}
