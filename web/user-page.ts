import { type Refusal, refuse } from './attempt.ts';
import type { UserVisit, Visit } from './define-page.ts';
import { renderNotice, renderProblems } from './fields.ts';
import { flowProblem, openFlow, readFlow } from './flow.ts';
import { headOf } from './form-page.ts';
import { type Content, type Html, html } from './html.ts';
import { type PageAnswer, renderPage } from './page.ts';
import { texts } from './texts.ts';

/**
 * Creates the token of a form. It is valid for this session only, so that a form of a previous user in an open tab
 * cannot change anything.
 */
export function openUserFlow({ browser, user }: UserVisit, kind: string): string {
  return openFlow(browser, kind, { sessionId: user.sessionId ?? null });
}

/** The message for a posted form without a valid token of this kind and session; null when it has one. */
export function rejectStaleForm({ browser, form, user }: UserVisit, kind: string): Refusal | null {
  const problem = flowProblem(browser, kind, form);
  if (problem !== null) return refuse({}, problem);
  if (readFlow(browser, kind, form.flow ?? '')?.sessionId === user.sessionId) return null;
  return refuse({}, texts().forms.otherSession);
}

/** Returns the page's notice that a query parameter names. */
export function flashMessage(
  { query }: Visit,
  notices: Record<string, string>,
  parameter = 'done',
): string | undefined {
  const name = query[parameter];
  return typeof name === 'string' && Object.hasOwn(notices, name) ? notices[name] : undefined;
}

/** A group of pages, and the path of the current page if it is one of them. */
export type Navigation = {
  label: string;
  links: readonly (readonly [href: string, name: string])[];
  current: string;
  /** Menu that switches the page to another organization, for users of several. */
  switcher?: Html | null;
};

export type UserPage = {
  title: string;
  body: Content;
  navigation: Navigation;
  notice?: string | null | undefined;
  refusal?: Refusal | null | undefined;
  formsLeave?: boolean;
};

/** Renders a page of a group, with the navigation, the notice or the refusal, and the content. */
export function renderUserPage({ title, body, navigation, notice, refusal, formsLeave = false }: UserPage): PageAnswer {
  return renderPage({
    ...headOf(title, refusal),
    navigation: renderNavigation(navigation),
    formsLeave,
    body: html`<h1>${title}</h1>
${renderNotice(refusal ? null : notice)}
${refusal && renderProblems([refusal.problem], refusal.errors)}
${body}`,
  });
}

/** Renders the links of a group of pages. */
export function renderNavigation({ label, links, current, switcher }: Navigation): Html {
  return html`${switcher}
<nav aria-label="${label}"><ul>
${links.map(
  ([href, name]) => html`<li><a href="${href}"${href === current && html` aria-current="page"`}>${name}</a></li>
`,
)}</ul></nav>`;
}
