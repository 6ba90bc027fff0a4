import { call } from '../../lib/calls.ts';
import { fail } from '../../lib/errors.ts';
import { settings } from '../../lib/settings.ts';
import type { GatewayResponse } from '../exchange.ts';
import { redirect } from './page.ts';
import type { Visit } from './visit.ts';

/**
 * The address that `return_to` in the query names, for the time when the visit is over; null when it names none.
 *
 * @throws INPUT_INVALID unless it is on the platform's own origin or on one that a client has registered.
 */
export async function returnToOf({ ctx, query }: Visit): Promise<string | null> {
  const url = query.return_to;
  if (url === undefined || url === '') return null;
  const { allowed } = typeof url === 'string' ? await ask(ctx, url) : { allowed: false };
  if (allowed) return url as string;
  throw fail('INPUT_INVALID', {
    message:
      'The address to return to (return_to) is not one of this platform or of an application that is registered here, ' +
      'so nothing was done.',
  });
}

/** The same from a mailed link, which is good although the client that it leads back to is gone: then null. */
export async function allowedReturnTo({ ctx, query }: Visit): Promise<string | null> {
  const url = query.return_to;
  return typeof url === 'string' && (await ask(ctx, url)).allowed ? url : null;
}

function ask(ctx: Visit['ctx'], url: string): Promise<{ allowed: boolean }> {
  return call(ctx, 'identity.accounts.check-return-to', { body: { url } });
}

/** A page of ours with the address to return to, which is checked again there. */
export function withReturnTo(path: string, returnTo: string | null): string {
  return returnTo === null ? path : `${path}?${new URLSearchParams({ return_to: returnTo })}`;
}

/** Sends the browser to an address that {@link returnToOf} let pass, in the spelling that all browsers read alike. */
export function sendBack(response: GatewayResponse, returnTo: string | null, otherwise = '/account'): void {
  redirect(response, returnTo === null ? otherwise : new URL(returnTo, settings.PUBLIC_URL).href);
}
