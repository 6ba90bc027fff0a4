import type { Context, Service } from 'moleculer';
import { credentialId, type RequestMeta, type UserCaller } from '../../lib/caller.ts';
import { fail, isError } from '../../lib/errors.ts';
import { settings } from '../../lib/settings.ts';
import { clientNetwork } from '../client-address.ts';
import { readCookie } from '../cookies.ts';
import type { GatewayRequest, GatewayResponse, Query } from '../exchange.ts';
import { isFault } from '../fault.ts';
import { clientOf, type Tools } from '../pipeline.ts';
import { refuseBeyond } from '../rate-limit.ts';
import { sendErrorPage } from './error-page.ts';
import { type Form, readForm } from './form.ts';

/** One request for a page, with the data that the page needs. */
export type Visit = {
  request: GatewayRequest;
  response: GatewayResponse;
  /** The context for calls to services. It carries the client's address and browser. */
  ctx: Context<unknown, RequestMeta>;
  query: Query;
  /** The posted form; empty when there was none. */
  form: Form;
  /** The user who is logged in; null without one. */
  user: UserCaller | null;
};

type Handler = (this: Service, request: GatewayRequest, response: GatewayResponse) => Promise<void>;

/**
 * Makes a route of a page's handler. It counts the request against the rate limit, finds the user who is logged in, and
 * reads the form of a POST, which only a page of the platform may send. An error becomes an error page.
 */
export function page(answer: (visit: Visit) => Promise<void> | void): Handler {
  return async function handle(request, response) {
    try {
      await answer(await receive((this as Service & { tools: Tools }).tools, request, response));
    } catch (error) {
      if (isFault(error, request)) this.logger.error('A page failed', { requestId: request.requestId, error });
      sendErrorPage(response, error, request.requestId);
    }
  };
}

async function receive(tools: Tools, request: GatewayRequest, response: GatewayResponse): Promise<Visit> {
  const { ctx, query } = request;
  ctx.meta.client = clientOf(request);
  const user = await whoIsLoggedIn(tools, request);
  const isPost = request.method === 'POST';
  // A POST may guess a password or request mail for any account, so it counts by address even with a session.
  if (user && !isPost) refuseBeyond(await tools.limit('credential', credentialId(user)));
  else refuseBeyond(await tools.limit('address', clientNetwork(request)));
  if (isPost) refuseForeignPage(request);
  const form = isPost ? await readForm(request) : {};
  return { request, response, ctx, query, form, user };
}

/** Pages accept the session cookie as the only credential. Only users have sessions, so the caller is a user. */
async function whoIsLoggedIn({ authenticator }: Tools, request: GatewayRequest): Promise<UserCaller | null> {
  const session = readCookie(request, 'session');
  if (!session) return null;
  try {
    const caller = await authenticator.authenticate(request.ctx, { authorization: undefined, session });
    return caller.type === 'user' ? caller : null;
  } catch (error) {
    if (isError(error, 'CREDENTIAL_INVALID')) return null;
    throw error;
  }
}

/** CSRF protection: browsers send the origin of a form. Other clients send none, and have no cookie to misuse. */
function refuseForeignPage({ headers }: GatewayRequest): void {
  if (headers.origin === undefined || headers.origin === new URL(settings.PUBLIC_URL).origin) return;
  throw fail('ORIGIN_REFUSED');
}
