import { type CallOutput, call } from '../../lib/calls.ts';
import { fail } from '../../lib/errors.ts';
import { originOfReturnTo } from '../../lib/return-to.ts';
import { settings } from '../../lib/settings.ts';
import { html } from './html.ts';
import { redirect, sendPage } from './page.ts';
import { page, type Visit } from './visit.ts';

type Decision = CallOutput<'identity.accounts.check-return-to'>['decision'];

const leavePath = '/self-service/leave';

/** Where a browser is asked before it leaves for an origin that no organization has registered that the operator trusts. */
export const leaveRoutes = { [`GET ${leavePath}`]: page(askBeforeLeaving) };

async function askBeforeLeaving(visit: Visit): Promise<void> {
  const returnTo = await returnToOf(visit);
  if (returnTo === null || (await decide(visit, returnTo)) !== 'ask') return sendBack(visit, returnTo);
  const origin = originOfReturnTo(returnTo, settings.PUBLIC_URL);
  const title = 'You are leaving this site';
  sendPage(visit.response, {
    title,
    body: html`<h1>${title}</h1>
<p>You were asked to continue to <strong>${origin}</strong>. This site does not belong to us, and we have not checked it.</p>
<p>Continue only if you know it and expected to go there. Never enter the password you use here on another site.</p>
<p><a class="button" href="${hrefOf(returnTo)}" rel="noreferrer">Continue to ${origin}</a></p>
<p><a href="/account">Stay here</a></p>`,
  });
}

/**
 * The address that `return_to` in the query names, for the time when the visit is over; null when it names none.
 *
 * @throws INPUT_INVALID where {@link sendBack} would not lead there, whether or not it would ask first.
 */
export async function returnToOf(visit: Visit): Promise<string | null> {
  const url = visit.query.return_to;
  if (url === undefined || url === '') return null;
  if (typeof url === 'string' && (await decide(visit, url)) !== 'refused') return url;
  throw fail('INPUT_INVALID', {
    message:
      'The address to return to (return_to) is not one of this platform or of an application that is registered here, ' +
      'so nothing was done.',
  });
}

/** The same from a mailed link, which is good although the client that it leads back to is gone: then null. */
export async function allowedReturnTo(visit: Visit): Promise<string | null> {
  const url = visit.query.return_to;
  return typeof url === 'string' && (await decide(visit, url)) !== 'refused' ? url : null;
}

async function decide({ ctx }: Visit, url: string): Promise<Decision> {
  return (await call(ctx, 'identity.accounts.check-return-to', { body: { url } })).decision;
}

/** A page of ours with the address to return to, which is checked again there. */
export function withReturnTo(path: string, returnTo: string | null): string {
  return returnTo === null ? path : `${path}?${new URLSearchParams({ return_to: returnTo })}`;
}

/**
 * Ends a visit: sends the browser to `returnTo`, or to the page that asks before it leaves, as the address is judged now;
 * where there is none, or it may not be gone to any more, to a page of ours.
 */
export async function sendBack(visit: Visit, returnTo: string | null, otherwise = '/account'): Promise<void> {
  const decision = returnTo === null ? 'refused' : await decide(visit, returnTo);
  if (returnTo === null || decision === 'refused') return redirect(visit.response, otherwise);
  redirect(visit.response, decision === 'allowed' ? hrefOf(returnTo) : withReturnTo(leavePath, returnTo));
}

/** In the spelling that all browsers read alike. */
function hrefOf(returnTo: string): string {
  return new URL(returnTo, settings.PUBLIC_URL).href;
}
