import { type CallOutput, call } from '../../../lib/contract/context.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { originOfReturnTo } from '../../../lib/security/return-to.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { publicPage, type Visit } from '../../../web/define-page.ts';
import { html } from '../../../web/html.ts';
import { type PageAnswer, redirectTo, renderPage } from '../../../web/page.ts';
import { texts } from './texts.ts';

type Decision = CallOutput<'identity.accounts.check-return-to'>['decision'];

const leavePath = '/self-service/leave';

/** The page that asks before a redirect to an origin that no trusted organization has registered. */
export const leavePages = {
  'pages.leave.show': publicPage({
    rest: `GET ${leavePath}`,
    summary: 'Ask before leaving for a site that is not checked',
    handler: confirmBeforeLeaving,
  }),
};

async function confirmBeforeLeaving(visit: Visit): Promise<PageAnswer> {
  const returnTo = await returnToOf(visit);
  if (returnTo === null || (await decide(visit, returnTo)) !== 'ask') return redirectToReturnUrl(visit, returnTo);
  const origin = originOfReturnTo(returnTo, settings.PUBLIC_URL);
  const t = texts().leave;
  return renderPage({
    title: t.title,
    body: html`<h1>${t.title}</h1>
<p>${t.lead(origin)}</p>
<p>${t.advice}</p>
<p><a class="btn primary" href="${hrefOf(returnTo)}" rel="noreferrer">${t.submit(origin)}</a></p>
<p><a href="/account">${t.stay}</a></p>`,
  });
}

/**
 * The address of `return_to` in the query, to which the visit returns at its end; null without one.
 *
 * @throws INPUT_INVALID where {@link redirectToReturnUrl} would not lead there, whether or not it would ask first.
 */
export async function returnToOf(visit: Visit): Promise<string | null> {
  const url = visit.query.return_to;
  if (url === undefined || url === '') return null;
  if (typeof url === 'string' && (await decide(visit, url)) !== 'refused') return url;
  throw apiError('INPUT_INVALID', { message: texts().leave.refused });
}

/** Like {@link returnToOf}, for a mailed link, which stays valid when its client was deleted: then null. */
export async function allowedReturnTo(visit: Visit): Promise<string | null> {
  const url = visit.query.return_to;
  return typeof url === 'string' && (await decide(visit, url)) !== 'refused' ? url : null;
}

async function decide({ ctx }: Visit, url: string): Promise<Decision> {
  return (await call(ctx, 'identity.accounts.check-return-to', { body: { url } })).decision;
}

/**
 * A page of the platform with the address to return to, which that page checks again, and the client that the user
 * comes from.
 */
export function withReturnTo(path: string, returnTo: string | null, clientId: string | null = null): string {
  const query = new URLSearchParams({
    ...(returnTo !== null && { return_to: returnTo }),
    ...(clientId !== null && { client_id: clientId }),
  });
  return query.size === 0 ? path : `${path}?${query}`;
}

/**
 * Ends a visit with a redirect to `returnTo`, or to the page that asks first. The address is checked again; without
 * one, or when it is no longer allowed, the redirect leads to a page of the platform.
 */
export async function redirectToReturnUrl(
  visit: Visit,
  returnTo: string | null,
  otherwise = '/console',
): Promise<PageAnswer> {
  const decision = returnTo === null ? 'refused' : await decide(visit, returnTo);
  if (returnTo === null || decision === 'refused') return redirectTo(otherwise);
  return redirectTo(decision === 'allowed' ? hrefOf(returnTo) : withReturnTo(leavePath, returnTo));
}

/** The normalised URL, which all browsers parse alike. */
function hrefOf(returnTo: string): string {
  return new URL(returnTo, settings.PUBLIC_URL).href;
}
