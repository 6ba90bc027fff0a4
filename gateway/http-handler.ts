import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Service } from 'moleculer';
import { fail } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { answerByAction } from './answer-by-action.ts';
import { type GatewayRequest, type GatewayResponse, parseQuery, type Query } from './exchange.ts';
import { isFault } from './fault.ts';
import { headersFor, setHeaders } from './headers.ts';
import { readiness } from './health.ts';
import { routesFor } from './local-only.ts';
import type { OAuth } from './oauth/serve.ts';
import { observeRequest } from './observe-request.ts';
import type { Tools } from './pipeline.ts';
import { sendError } from './render-error.ts';
import { type FoundRoute, type Route, routesOf } from './routes.ts';

/** moleculer-web rebuilds `aliases` when services start or stop, after a debounce; `flush` ends the debounce. */
type Gateway = Service & {
  oauth: OAuth;
  tools: Tools;
  answering: Set<ServerResponse>;
  aliases: Route[];
  regenerateAllAutoAliases: { flush: () => void };
};

/** The characters of most paths, which need no decoding and no further checks. */
const plainPath = /^\/(?:[\w.~-]+(?:\/[\w.~-]+)*)?$/;
const acceptableRequestId = /^[A-Za-z0-9._:-]{1,128}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const controlCharacters = /[\u0000-\u001f\u007f]/;

/** Node's request listener: the processing of a request before and after its route. */
export async function serve(this: Gateway, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const request = begin(incoming);
  this.answering.add(response);
  response.on('close', () => {
    this.answering.delete(response);
    observeRequest(this.logger, request, response);
  });
  try {
    refuseSecondHost(request);
    const path = pathOf(request);
    if (this.oauth.isHere(path)) {
      setHeaders(request, response);
      return await this.oauth.serve(this.tools.limit, request, response);
    }
    // A service that has just registered can make the platform ready, so its routes must be known here.
    this.regenerateAllAutoAliases.flush();
    const routes = routesOf(this.aliases);
    const exists = routesFor(request);
    if (request.method === 'OPTIONS') {
      return answerOptions(allowedMethods(routes.methodsAt(path, exists)), request, response);
    }
    // Node omits the body of an answer to HEAD; otherwise HEAD is handled as GET.
    if (request.method === 'HEAD') request.method = 'GET';
    const found = routes.find(request.method ?? '', path, exists);
    if (!found) throw await noRoute(this, allowedMethods(routes.methodsAt(path, exists)));
    await answer(this, found, request, response);
  } catch (error) {
    if (request.hasTimedOut) return;
    if (isFault(error, request)) this.logger.error('The gateway failed', { requestId: request.requestId, error });
    setHeaders(request, response);
    sendError(response, error, request.requestId);
  }
}

function answer(
  gateway: Gateway,
  { route, parameters }: FoundRoute,
  request: GatewayRequest,
  response: GatewayResponse,
): void | Promise<void> {
  const { broker, tools } = gateway;
  const options = { requestID: request.requestId, meta: {} };
  request.ctx = broker.ContextFactory.create(broker, null as never, {}, options) as GatewayRequest['ctx'];
  request.route = route;
  request.parameters = parameters;
  request.query = queryOf(request);
  if (!route.handler) return answerByAction(tools, route, request, response);
  setHeaders(request, response);
  return route.handler.call(gateway, request, response);
}

function queryOf({ url = '' }: GatewayRequest): Query {
  const start = url.indexOf('?');
  return start < 0 ? Object.create(null) : parseQuery(url.slice(start + 1));
}

function begin(incoming: IncomingMessage): GatewayRequest {
  const request = incoming as GatewayRequest;
  const given = request.headers['x-request-id'];
  request.requestId = typeof given === 'string' && acceptableRequestId.test(given) ? given : newId('req');
  request.receivedMethod = request.method ?? '';
  request.startedAt = performance.now();
  request.answerHeaders = headersFor(request);
  return request;
}

/** Refuses two Host headers: a proxy may have used the other one (RFC 9112 section 3.2). */
function refuseSecondHost({ rawHeaders }: IncomingMessage): void {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) {
    const message = 'The request has more than one Host header.';
    throw fail('REQUEST_MALFORMED', { message, headers: { Connection: 'close' } });
  }
}

function pathOf(request: GatewayRequest): string {
  if (plainPath.test(request.url ?? '')) return request.url as string;
  // A client may send the whole address in place of the path; the Host header then counts for nothing (RFC 9112 section
  // 3.2.2).
  request.url = request.url?.replace(/^https?:\/\/([^/?]*)(?=\/)/i, (_address, authority: string) => {
    request.headers.host = authority;
    return '';
  });
  const [path = '/'] = (request.url ?? '/').split('?');
  if (!path.startsWith('/') || controlCharacters.test(decode(path))) throw fail('PATH_INVALID');
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw fail('PATH_INVALID');
  }
}

function allowedMethods(methods: Set<string>): string[] {
  if (methods.size === 0) return [];
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods.add('OPTIONS')].sort();
}

function answerOptions(allowed: string[], { answerHeaders }: GatewayRequest, response: GatewayResponse): void {
  if (allowed.length === 0) throw fail('ROUTE_NOT_FOUND');
  response.writeHead(204, { ...answerHeaders, Allow: allowed.join(', ') });
  response.end();
}

/** While a service is missing, its paths are unknown. They get 503, so that clients retry. */
async function noRoute({ broker }: Gateway, allowed: string[]): Promise<Error> {
  if (allowed.length > 0) return fail('METHOD_NOT_ALLOWED', { headers: { Allow: allowed.join(', ') } });
  const missing = await readiness(broker);
  return missing.length > 0 ? fail('UNAVAILABLE') : fail('ROUTE_NOT_FOUND');
}
