import type { ServiceBroker } from 'moleculer';
import { issuer, type SigningKeyReader } from '../../http/access-tokens.ts';
import { isServerError, wrongMethod } from '../../http/dispatch.ts';
import type { RateLimiter } from '../../http/rate-limit.ts';
import { readForm } from '../../http/read-body.ts';
import type { HttpRequest, HttpResponse } from '../../http/request.ts';
import { pageContextOf, redirect, sendErrorPage } from '../../http/send-page.ts';
import type { CredentialsChange } from '../../lib/contract/context.ts';
import type { Exposure } from '../../lib/contract/contract.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { settings } from '../../lib/settings/settings.ts';
import { runInPageContext } from '../../web/page-context.ts';
import { createClients } from './clients.ts';
import { interact } from './interaction.ts';
import { createKeyRing } from './key-ring.ts';
import { validLogout } from './pages.ts';
import {
  answerPreflight,
  belowMount,
  canonicalPath,
  findPath,
  interactionOf,
  isOAuthPath,
  isPreflight,
  OAuthRefusal,
  type Path,
  sendRefusal,
} from './paths.ts';
import type { Provided } from './provider.ts';
import { createProvenNetworks, createRequestLimiter, type Exchange, newExchange, runWithExchange } from './request.ts';
import { introspect, revoke, sendUserinfo } from './token-endpoints.ts';

/** OAuth 2.0 and OpenID Connect below /oauth2, in addition to the routes of the services. */
export type OAuth = {
  /** Whether a path belongs to OAuth, and not to a service. */
  isHere: (path: string) => boolean;
  serve: (limit: RateLimiter, request: HttpRequest, response: HttpResponse) => Promise<void>;
  /** Drops the cached data of changed clients. */
  forget: (changed: Pick<CredentialsChange, 'clientId' | 'orgId'>) => void;
};

const { host, protocol } = new URL(settings.PUBLIC_URL);

const logoutPath = '/oauth2/session/end';
/** The paths to which other sites may post a form. */
const postable = ['/oauth2/auth', logoutPath];

/** The largest body that the provider reads. */
export const oauthBodyLimitBytes = 56 * 1024;

/**
 * The browser policy. Allowed origins are set per client, not by CORS_ORIGINS. For the response mode `form_post` the
 * provider adds the hash of its only script.
 */
export const oauthExposure: Exposure = {
  cors: 'own',
  contentPolicy: "default-src 'none'; script-src; base-uri 'none'",
};

export function createOAuth(broker: ServiceBroker, readKeys: SigningKeyReader): OAuth {
  const clients = createClients();
  const proven = createProvenNetworks();
  const keyRing = createKeyRing(readKeys, clients, broker.getLogger('oauth'));
  const own: Record<string, (exchange: Exchange) => Promise<void>> = {
    '/oauth2/userinfo': (exchange) => sendUserinfo(keyRing, clients, exchange),
    '/oauth2/introspect': (exchange) => introspect(keyRing, clients, exchange),
    '/oauth2/revoke': (exchange) => revoke(keyRing, clients, exchange),
  };

  async function answer(exchange: Exchange, path: string): Promise<void> {
    const endpoint = own[path];
    if (endpoint) return endpoint(exchange);
    if (postable.includes(path) && exchange.request.method === 'POST') return redirectToQuery(exchange, path);
    const { provide } = await keyRing(exchange.ctx);
    const provided = await provide();
    if (path === logoutPath) await keepValid(provided, exchange);
    const uid = interactionOf(path);
    if (uid === null) await forward(provided, exchange);
    else await interact({ provider: provided.provider, clients }, exchange, uid);
  }

  return {
    isHere: isOAuthPath,
    async serve(limit, request, response) {
      pinAddress(request);
      const [asked = '', ...query] = (request.url ?? '').split('?');
      const path = canonicalPath(asked);
      request.url = [path, ...query].join('?');
      const found = requirePath(path, request);
      request.route = { fullPath: found.pattern };
      const exchange = newExchange(broker, request, response, createRequestLimiter(limit, proven, request, response));
      if (answerQuestion(found, own[path] !== undefined, exchange)) return;
      const run = () => runWithExchange(exchange, () => answer(exchange, path));
      await (found.isShared
        ? answerProgram(exchange, found.isPublic, run)
        : runInPageContext(pageContextOf(request), () => answerPerson(exchange, run)));
    },
    forget({ clientId, orgId }) {
      if (clientId !== undefined) clients.forget(clientId);
      if (orgId !== undefined) clients.forgetOf(orgId);
    },
  };
}

function requirePath(path: string, { method = '' }: HttpRequest): Path {
  const found = findPath(path);
  if (!found) throw apiError('ROUTE_NOT_FOUND');
  if (method === 'OPTIONS' || found.methods.includes(method)) return found;
  throw wrongMethod(method, allowed(found));
}

const allowed = ({ methods }: Path): string[] => [...methods, 'OPTIONS'].sort();

/** Answers an OPTIONS request and returns true. The provider answers preflights of its paths. */
function answerQuestion(path: Path, isOwn: boolean, exchange: Exchange): boolean {
  const { request, response } = exchange;
  if (request.method !== 'OPTIONS') return false;
  const isShared = path.isShared && isPreflight(request);
  if (isShared && !isOwn) return false;
  if (isShared) answerPreflight(exchange, path.methods.join(', '));
  else response.writeHead(204, { Allow: allowed(path).join(', ') }).end();
  return true;
}

/**
 * Answers a program. Errors other than OAuth errors are rethrown to the gateway. Rate limits count a program once its
 * authentication has succeeded or failed; a request for a public resource is counted before.
 */
async function answerProgram(exchange: Exchange, isPublic: boolean, answer: () => Promise<void>): Promise<void> {
  const { meter, request, response } = exchange;
  if (isPublic) await meter.countAddress();
  try {
    await answer();
  } catch (error) {
    await meter.countAddress();
    if (!(error instanceof OAuthRefusal)) throw error;
    request.answeredError = { error: error.error, message: error.message };
    sendRefusal(response, error);
  }
}

/** Answers a browser. Rate limits count by its session, or by address without one; an error becomes an error page. */
async function answerPerson(exchange: Exchange, answer: () => Promise<void>): Promise<void> {
  const { ctx, request, response, meter } = exchange;
  try {
    const session = await exchange.platformSession();
    await (session ? meter.countCredential(session.sessionId) : meter.countAddress());
    await answer();
  } catch (error) {
    if (isServerError(error, request)) {
      ctx.broker.logger.error('An authorization failed', { requestId: request.requestId, error });
    }
    sendErrorPage(request, response, error);
  }
}

/**
 * Redirects a request that another site posted as a form (OpenID Connect Core 3.1.2.1, RP-Initiated Logout 1.0 section
 * 2) to the same request as a query. A browser omits the platform's cookies from the form, but sends them after the
 * redirect.
 */
async function redirectToQuery({ request, response }: Exchange, path: string): Promise<void> {
  redirect(response, `${settings.PUBLIC_URL}${path}?${new URLSearchParams(await readForm(request))}`);
}

/** Reduces a logout request to its valid parts. */
async function keepValid({ provider }: Provided, { request }: Exchange): Promise<void> {
  const { searchParams } = new URL(request.url ?? '', issuer);
  request.url = `${logoutPath}?${await validLogout(provider, searchParams)}`;
}

/**
 * Sets the address of the platform from the settings, so that a client's headers cannot change the endpoints'
 * addresses.
 */
function pinAddress({ headers }: HttpRequest): void {
  for (const name of Object.keys(headers)) {
    if (name === 'forwarded' || (name.startsWith('x-forwarded-') && name !== 'x-forwarded-for')) delete headers[name];
  }
  headers.host = host;
  headers['x-forwarded-host'] = host;
  headers['x-forwarded-proto'] = protocol.slice(0, -1);
}

/** Passes a request to the provider, which is mounted at /oauth2. */
async function forward({ callback }: Provided, { request, response }: Exchange): Promise<void> {
  const url = request.url ?? '';
  const mounted = request as HttpRequest & { originalUrl: string };
  mounted.originalUrl = url;
  request.url = belowMount(url);
  try {
    await callback(request, response);
  } finally {
    request.url = url;
  }
}
