import type { Service } from 'moleculer';
import type { UserCaller } from '../../lib/caller.ts';
import { day, fromNow } from '../../lib/clock.ts';
import { isError } from '../../lib/errors.ts';
import { readCookie, setCookie } from '../cookies.ts';
import type { GatewayRequest, GatewayResponse } from '../exchange.ts';
import { type Refusal, refuse } from './attempt.ts';
import { showNotice, showProblems } from './fields.ts';
import { flowProblem, openFlow, readFlow } from './flow.ts';
import { refusedPage } from './form-page.ts';
import { type Content, type Html, html } from './html.ts';
import { redirect, sendPage } from './page.ts';
import { withReturnTo } from './return-to.ts';
import { page, type Visit } from './visit.ts';

/** A visit of a user who is logged in. Calls with `ctx` are made as that user. */
export type UserVisit = Visit & { user: UserCaller };

/** A session lasts for 30 days after its last use, and so does its cookie. */
const cookieLifetime = 30 * day;

export type Handler = (this: Service, request: GatewayRequest, response: GatewayResponse) => Promise<void>;

/** A route for users. Other visitors log in first and return to the path of `comeBackTo`. */
export function userPage(comeBackTo: (visit: Visit) => string, answer: (visit: UserVisit) => Promise<void>): Handler {
  return page(async (visit) => {
    const { user, ctx, request, response } = visit;
    const login = withReturnTo('/self-service/login/browser', comeBackTo(visit));
    if (!user) return redirect(response, login);
    ctx.meta.caller = user;
    if (request.method === 'GET')
      setCookie(response, 'session', readCookie(request, 'session') ?? '', fromNow(cookieLifetime));
    try {
      await answer({ ...visit, user });
    } catch (error) {
      // The session was ended from another browser during this request.
      if (!isError(error, 'CREDENTIAL_INVALID')) throw error;
      redirect(response, login);
    }
  });
}

/**
 * The token of a form, valid for this session only, so that a former user's form in an open tab cannot change anything.
 */
export function openUserFlow({ request, response, user }: UserVisit, kind: string): string {
  return openFlow(request, response, kind, { sessionId: user.sessionId ?? null });
}

/** The message for a posted form without a valid token of this kind and session; null when it has one. */
export function refuseStale({ request, form, user }: UserVisit, kind: string): Refusal | null {
  const problem = flowProblem(request, kind, form);
  if (problem !== null) return refuse({}, problem);
  if (readFlow(request, kind, form.flow ?? '')?.sessionId === user.sessionId) return null;
  return refuse({}, 'You have logged in anew since this page was opened. Look whether all is right, and try again.');
}

/** The page's notice for the `done` of the query. */
export function noticeOf({ query }: Visit, notices: Record<string, string>): string | undefined {
  const { done } = query;
  return typeof done === 'string' && Object.hasOwn(notices, done) ? notices[done] : undefined;
}

/** A group of pages, and the path of the current one, if it is one of them. */
export type Navigation = { label: string; links: readonly (readonly [href: string, name: string])[]; current: string };

export type UserPage = {
  title: string;
  body: Content;
  navigation: Navigation;
  notice?: string | null | undefined;
  refusal?: Refusal | null | undefined;
};

/** Sends a page of a group, with the navigation, the notice or the refusal, and the page's content. */
export function sendUserPage({ response }: Visit, { title, body, navigation, notice, refusal }: UserPage): void {
  sendPage(response, {
    title: refusal ? `Error: ${title}` : title,
    ...refusedPage(refusal),
    navigation: showNavigation(navigation),
    body: html`<h1>${title}</h1>
${showNotice(refusal ? null : notice)}
${refusal && showProblems([refusal.problem], refusal.errors)}
${body}`,
  });
}

function showNavigation({ label, links, current }: Navigation): Html {
  return html`
<nav aria-label="${label}"><ul>
${links.map(
  ([href, name]) => html`<li><a href="${href}"${href === current && html` aria-current="page"`}>${name}</a></li>
`,
)}</ul></nav>`;
}
