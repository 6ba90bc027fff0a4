import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger, ServiceBroker } from 'moleculer';
import type { Exposure } from '../lib/contract/contract.ts';
import { apiError, errorCode, isError } from '../lib/contract/errors.ts';
import { asApiError } from '../lib/data/database-errors.ts';
import { newId } from '../lib/data/ids.ts';
import { ownOrigin } from '../lib/settings/settings.ts';
import { answerByAction, contractAt, exposeAsAnswer, isVisibleTo } from './answer.ts';
import type { FailedRequestLog } from './failed-requests.ts';
import { type Listener, observeRequest } from './listener.ts';
import type { RequestServices } from './pipeline.ts';
import { rejectLarger } from './read-body.ts';
import { continueBody, type HttpRequest, type HttpResponse, newContext, parseQuery, type Query } from './request.ts';
import {
  endCoalesced,
  expose,
  exposeRefusal,
  headersFor,
  preflightHeaders,
  sendError,
  setHeaders,
} from './response.ts';
import { redirectToLogin, sendErrorPage } from './send-page.ts';

/**
 * Whether an error is a server error of the gateway and must be logged. Actions log their own failures, and a client
 * may disconnect at any time. Node removes the socket of a request that it destroys.
 */
export function isServerError(error: unknown, { socket }: HttpRequest): boolean {
  const isGone = socket?.destroyed !== false;
  return !isGone && errorCode(error) === null && isError(asApiError(error), 'INTERNAL');
}

/** Answers a request without an action. */
export type OwnHandler = (this: HttpListener, request: HttpRequest, response: HttpResponse) => void | Promise<void>;

/** A route of moleculer-web from a service's declaration, to an action or to a handler of the listener. */
export type Route = {
  method: string;
  /** The pattern of the path, such as `/v1/story/customers/:customerId`. */
  fullPath: string;
  action: string | null;
  handler: OwnHandler | null;
  match: (path: string) => Record<string, string> | false;
};

export type FoundRoute = { route: Route; parameters: Record<string, string> };

export type RouteTable = {
  find: (method: string, path: string) => FoundRoute | null;
  /** The routes of a path, of all methods. */
  at: (path: string) => Route[];
};

const tables = new WeakMap<Route[], RouteTable>();

/**
 * The table of a list of routes, in the order of precedence. It is cached per list: moleculer-web creates a new list
 * when services start or stop.
 */
export function routesOf(list: Route[]): RouteTable {
  const known = tables.get(list);
  if (known) return known;
  const table = createTable(list);
  tables.set(list, table);
  return table;
}

/**
 * Indexes the routes by fixed path and by depth, because there are about a hundred. The route's pattern then decides
 * whether it matches; it ignores case and one trailing slash.
 */
function createTable(routes: Route[]): RouteTable {
  const [fixed, others] = partition(routes, ({ fullPath }) => !/[:*{]/.test(fullPath));
  const [ofOneDepth, ofAnyDepth] = partition(others, ({ fullPath }) => !/[*{]/.test(fullPath));
  const byPath = Map.groupBy(fixed, ({ fullPath }) => fullPath.toLowerCase());
  const byDepth = Map.groupBy(ofOneDepth, ({ fullPath }) => depthOf(fullPath));

  /** A generator, because most requests match in the first list. */
  function* candidatesAt(path: string): Generator<Route[] | undefined> {
    const bare = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
    yield byPath.get(bare.toLowerCase());
    yield byDepth.get(depthOf(bare));
    yield ofAnyDepth;
  }

  return {
    find(method, path) {
      for (const candidates of candidatesAt(path)) {
        for (const route of candidates ?? []) {
          const parameters = route.method === method && route.match(path);
          if (parameters) return { route, parameters };
        }
      }
      return null;
    },
    at(path) {
      const candidates = [...candidatesAt(path)].flatMap((routes) => routes ?? []);
      return candidates.filter((route) => route.match(path));
    },
  };
}

function partition(routes: Route[], belongs: (route: Route) => boolean): [Route[], Route[]] {
  return [routes.filter(belongs), routes.filter((route) => !belongs(route))];
}

function depthOf(path: string): number {
  return path.split('/').length;
}

/** The parts of a listener: its routes, and the lookup and counting of callers. Handlers get it as `this`. */
export type HttpListener = {
  broker: ServiceBroker;
  logger: Logger;
  tools: RequestServices;
  listener: Listener;
  failedRequests: FailedRequestLog;
  /** The current routes. */
  routes: () => Route[];
  /** The protocol that answers all methods below a prefix of the path; null where the routes apply. */
  mountAt: (path: string) => MountedProtocol | null;
  /** The error for a path that no route has. */
  noRoute: (method: string, path: string) => Error;
};

/** A protocol with separate paths, methods and credentials, such as OAuth. */
export type MountedProtocol = { exposure: Exposure; bodyLimitBytes: number; handler: OwnHandler };

/** The characters of most paths, which need no decoding and no further checks. */
const plainPath = /^\/(?:[\w.~-]+(?:\/[\w.~-]+)*)?$/;
const acceptableRequestId = /^[A-Za-z0-9._:-]{1,128}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const controlCharacters = /[\u0000-\u001f\u007f]/;

/** Answers one request of a listener: the steps before and after its route. */
export async function serve(site: HttpListener, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const request = begin(incoming);
  const { inFlight } = site.listener;
  inFlight.add(response);
  response.on('close', () => {
    inFlight.delete(response);
    observeRequest(site.logger, request, response);
    if (response.statusCode >= 400) site.failedRequests.add(request, response.statusCode);
  });
  try {
    rejectRepeatedHeaders(request);
    const path = pathOf(request);
    if (isMalformed(path)) rejectPath(site, path, request);
    const mounted = site.mountAt(path);
    if (mounted) return await answerMounted(site, mounted, request, response);
    await answerByRoute(site, path, request, response);
  } catch (error) {
    if (request.corsOfRefusal && !response.headersSent) await exposeRefusal(request, error);
    // The timeout response has been sent, so the write of a late handler fails.
    if (request.hasTimedOut) return;
    if (isServerError(error, request)) site.logger.error('A request failed', { requestId: request.requestId, error });
    setHeaders(request, response);
    sendFailure(site, request, response, error);
  }
}

function sendFailure(site: HttpListener, request: HttpRequest, response: HttpResponse, error: unknown): void {
  if (needsSignIn(request, error)) redirectToLogin(response, returnPathOf(site, request), isSessionOld(error));
  else if (isForPerson(site, request)) sendErrorPage(request, response, error);
  else sendError(request, response, error);
}

/** Whether a page needs a session and the browser has none, an expired one, or one that is too old for it. */
function needsSignIn({ contract }: HttpRequest, error: unknown): boolean {
  if (contract?.answers !== 'html' || contract.permission === 'public') return false;
  const code = errorCode(error);
  return code === 'CREDENTIAL_REQUIRED' || code === 'CREDENTIAL_INVALID' || isSessionOld(error);
}

const isSessionOld = (error: unknown): boolean => isError(error, 'SESSION_TOO_OLD');

/**
 * The path of the page to show again after signing in: the requested page, or the page of the submitted form. Browsers
 * send the latter in Referer; an address that accepts only forms is below its page.
 */
function returnPathOf(site: HttpListener, { method, url = '/', headers }: HttpRequest): string {
  if (method === 'GET') return url;
  const routes = routesOf(site.routes());
  const referer = URL.parse(headers.referer ?? '');
  if (referer?.origin === ownOrigin && routes.find('GET', referer.pathname)) return referer.pathname + referer.search;
  let [path = '/'] = url.split('?');
  if (routes.find('GET', path)) return url;
  while (path !== '' && !routes.find('GET', path)) path = path.slice(0, path.lastIndexOf('/'));
  return path || '/account';
}

/** Whether a person opens an address: browsers ask for HTML then, other clients do not. */
function isForPerson({ tools }: HttpListener, { contract, headers }: HttpRequest): boolean {
  return contract?.answers === 'html' || (tools.hasPages && /\btext\/html\b/.test(headers.accept ?? ''));
}

function answerMounted(
  site: HttpListener,
  mount: MountedProtocol,
  request: HttpRequest,
  response: HttpResponse,
): void | Promise<void> {
  expose(request, mount.exposure);
  rejectLarger(request, mount.bodyLimitBytes);
  continueBody(request);
  setHeaders(request, response);
  return mount.handler.call(site, request, response);
}

async function answerByRoute(
  site: HttpListener,
  path: string,
  request: HttpRequest,
  response: HttpResponse,
): Promise<void> {
  const routes = routesOf(site.routes());
  if (request.method === 'OPTIONS') {
    exposePreflight(site, routes.find(String(request.headers['access-control-request-method']), path), request);
    return answerOptions(allowedMethods(site, routes.at(path), request), request, response);
  }
  // Node omits the body of an answer to HEAD; otherwise HEAD is handled as GET.
  if (request.method === 'HEAD') request.method = 'GET';
  const found = routes.find(request.method ?? '', path);
  if (found) return await answer(site, found, request, response);
  const allowed = allowedMethods(site, routes.at(path), request);
  if (allowed.length > 0) throw wrongMethod(request.method ?? '', allowed);
  throw site.noRoute(request.method ?? '', path);
}

function answer(
  site: HttpListener,
  { route, parameters }: FoundRoute,
  request: HttpRequest,
  response: HttpResponse,
): void | Promise<void> {
  const { broker, tools } = site;
  request.ctx = newContext(broker, request.requestId);
  request.route = route;
  request.parameters = parameters;
  request.query = queryOf(request);
  if (!route.handler) return answerByAction(tools, route, request, response);
  setHeaders(request, response);
  return route.handler.call(site, request, response);
}

function queryOf({ url = '' }: HttpRequest): Query {
  const start = url.indexOf('?');
  return start < 0 ? Object.create(null) : parseQuery(url.slice(start + 1));
}

function begin(incoming: IncomingMessage): HttpRequest {
  const request = incoming as HttpRequest;
  const sentId = request.headers['x-request-id'];
  request.requestId = typeof sentId === 'string' && acceptableRequestId.test(sentId) ? sentId : newId('req');
  request.receivedMethod = request.method ?? '';
  request.startedAt = performance.now();
  request.answerHeaders = headersFor(request);
  return request;
}

/**
 * Rejects duplicate Host and Authorization headers: a proxy may have used the other one (RFC 9112 section 3.2), and
 * Node would drop the second silently.
 */
function rejectRepeatedHeaders({ rawHeaders }: IncomingMessage): void {
  let hosts = 0;
  let credentials = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
    else if (name.length === 13 && name.toLowerCase() === 'authorization') credentials += 1;
  }
  if (hosts <= 1 && credentials <= 1) return;
  const message = `The request has more than one ${hosts > 1 ? 'Host' : 'Authorization'} header.`;
  throw apiError('REQUEST_MALFORMED', { message, headers: { Connection: 'close' } });
}

function pathOf(request: HttpRequest): string {
  if (plainPath.test(request.url ?? '')) return request.url as string;
  // A client may send an absolute URL in place of the path; the Host header is ignored then (RFC 9112 section 3.2.2).
  request.url = request.url?.replace(/^https?:\/\/([^/?]*)(?=\/)/i, (_address, authority: string) => {
    request.headers.host = authority;
    return '';
  });
  const [path = '/'] = (request.url ?? '/').split('?');
  return path;
}

function isMalformed(path: string): boolean {
  if (plainPath.test(path)) return false;
  if (!path.startsWith('/')) return true;
  try {
    return controlCharacters.test(decodeURIComponent(path));
  } catch {
    return true;
  }
}

/** Throws PATH_INVALID with the browser policy of the path's route, so that its pages can read the error. */
function rejectPath(site: HttpListener, path: string, request: HttpRequest): never {
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
  // Invalid encodings are matched literally.
  const found = routesOf(site.routes()).find(method, path.replaceAll('%', '%25'));
  if (found) exposeAsAnswer(site.broker, found, request);
  throw apiError('PATH_INVALID');
}

/** The methods of the routes that are visible to a request. */
function allowedMethods({ broker }: HttpListener, routes: Route[], request: HttpRequest): string[] {
  const existing = routes.filter((route) => isVisibleTo(request, contractAt(broker, route)));
  if (existing.length === 0) return [];
  const methods = new Set(existing.map(({ method }) => method));
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods.add('OPTIONS')].sort();
}

/** The error of a method that a path does not take, with those that it takes. */
export function wrongMethod(method: string, allowed: string[]): Error {
  const useful = allowed.filter((one) => one !== 'HEAD' && one !== 'OPTIONS');
  const message = `This path does not take ${method}; it takes ${useful.join(', ')}.`;
  return apiError('METHOD_NOT_ALLOWED', { message, headers: { Allow: allowed.join(', ') } });
}

/** Applies the browser policy of the endpoint that a preflight announces (Fetch, section 3.2.2). */
function exposePreflight({ broker }: HttpListener, found: FoundRoute | null, request: HttpRequest): void {
  const contract = found && contractAt(broker, found.route);
  if (!found || !contract?.exposure?.cors) return;
  expose(request, { ...contract.exposure, cors: 'any' });
  Object.assign(request.answerHeaders, preflightHeaders, { 'Access-Control-Allow-Methods': methodsOf(found.route) });
}

const methodsOf = ({ method }: Route): string => (method === 'GET' ? 'GET, HEAD' : method);

function answerOptions(allowed: string[], { answerHeaders }: HttpRequest, response: HttpResponse): void {
  if (allowed.length === 0) throw apiError('ROUTE_NOT_FOUND');
  endCoalesced(response.writeHead(204, { ...answerHeaders, Allow: allowed.join(', ') }));
}
