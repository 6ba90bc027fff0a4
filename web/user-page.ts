import { hash } from 'node:crypto';
import { type CallInput, type CallOutput, type Calls, call } from '../lib/contract/context.ts';
import { type Refusal, refuse, runOnce } from './attempt.ts';
import type { UserVisit, Visit } from './define-page.ts';
import { renderNotice, renderProblems } from './fields.ts';
import { flowProblem, openFlow, readFlow } from './flow.ts';
import { headOf } from './form-page.ts';
import { type Content, html } from './html.ts';
import { type Frame, type PageAnswer, renderPage } from './page.ts';
import { readShell, renderHead } from './shell.ts';
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

/**
 * Calls an action once for a posted form. A page that shows a new secret answers the form itself, so that a reload posts
 * it again: the same input then gets the same answer, not a second secret. A corrected form is another call, and so is
 * the same one on a new page.
 */
export async function callOnce<N extends keyof Calls & string>(
  { ctx, form }: Visit,
  name: N,
  input: CallInput<N>,
): Promise<CallOutput<N>> {
  const key = hash('sha256', `${form.flow} ${JSON.stringify(input)}`, 'base64url');
  return await runOnce(ctx, key, () => call(ctx, name, input));
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

export type UserPage = {
  title: string;
  /** A sentence below the title. */
  lead?: Content;
  /** Buttons and links at the end of the head; at most one is primary. */
  acts?: Content;
  /** Replaces the head: the page of one thing, with its state and facts. */
  head?: Content;
  body: Content;
  frame: Frame;
  notice?: string | null | undefined;
  refusal?: Refusal | null | undefined;
  /** Whether a script keeps a part of the page up to date. */
  isLive?: boolean;
  hasFrames?: boolean;
  usesStorage?: boolean;
  formsLeave?: boolean;
};

/** Renders a page of a service from outside, in the frame of the organization that was used last. */
export async function renderServicePage(visit: UserVisit, page: Omit<UserPage, 'frame'>): Promise<PageAnswer> {
  return renderUserPage({ ...page, frame: { shell: await readShell(visit), place: { area: null } } });
}

/** Renders a page of the console or the account: the head, the notice or the refusal, and the content. */
export function renderUserPage(page: UserPage): PageAnswer {
  const { title, lead, acts, head, body, frame, notice, refusal } = page;
  const { isLive = false, hasFrames = false, usesStorage = false, formsLeave = false } = page;
  return renderPage({
    ...headOf(title, refusal),
    frame,
    isLive,
    hasFrames,
    usesStorage,
    formsLeave,
    body: html`${head ?? renderHead({ title, lead, acts })}
${renderNotice(refusal ? null : notice)}
${refusal && renderProblems([refusal.problem], refusal.errors)}
${body}`,
  });
}
