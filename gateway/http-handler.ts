import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Service } from 'moleculer';
import { asApiError } from '../lib/database-errors.ts';
import { errorCode, fail, isError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import type { GatewayRequest, GatewayResponse } from './exchange.ts';
import { setCorsHeaders, setSecurityHeaders } from './headers.ts';
import { readiness } from './health.ts';
import type { OAuth } from './oauth/serve.ts';
import { observeRequest } from './observe-request.ts';
import type { Tools } from './pipeline.ts';
import { sendError } from './render-error.ts';

type Alias = { method: string; re: RegExp };
type RestAction = (params: object, options: { requestID: string }) => Promise<unknown>;
/** `regenerateAllAutoAliases` waits a moment for further changes of the pool's services; `flush` ends the wait. */
type Gateway = Service & {
  oauth: OAuth;
  tools: Tools;
  aliases: Alias[];
  actions: { rest: RestAction };
  regenerateAllAutoAliases: { flush: () => void };
};

const acceptableRequestId = /^[A-Za-z0-9._:-]{1,128}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const controlCharacters = /[\u0000-\u001f\u007f]/;

/** Node's request listener: everything a request meets before and after its route. */
export async function serve(this: Gateway, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const request = begin(incoming, response);
  response.once('close', () => observeRequest(this.logger, request, response));
  try {
    const path = pathOf(request);
    if (this.oauth.isHere(path)) return await this.oauth.serve(this.tools.limit, request, response);
    // A service that joined a moment ago makes the platform ready, so its routes must be known by now.
    this.regenerateAllAutoAliases.flush();
    if (request.method === 'OPTIONS') return answerOptions(allowedMethods(this, path), response);
    // Node leaves the body out of the answer to a HEAD request; for everything else it is a GET.
    if (request.method === 'HEAD') request.method = 'GET';
    const routed = await this.actions.rest({ req: request, res: response }, { requestID: request.requestId });
    if (routed === null) throw await noRoute(this, allowedMethods(this, path));
  } catch (error) {
    if (isOurs(error, request)) {
      this.logger.error('The gateway failed', { requestId: request.requestId, error });
    }
    sendError(response, error, request.requestId);
  }
}

/** Whether an error tells of a fault here: an action logs what fails in it, and a client may go away at any time. */
function isOurs(error: unknown, request: GatewayRequest): boolean {
  return !request.socket.destroyed && errorCode(error) === null && isError(asApiError(error), 'INTERNAL');
}

function begin(incoming: IncomingMessage, response: GatewayResponse): GatewayRequest {
  const request = incoming as GatewayRequest;
  const given = request.headers['x-request-id'];
  request.requestId = typeof given === 'string' && acceptableRequestId.test(given) ? given : newId('req');
  request.receivedMethod = request.method ?? '';
  request.startedAt = performance.now();
  response.setHeader('X-Request-Id', request.requestId);
  setSecurityHeaders(response);
  setCorsHeaders(request, response);
  return request;
}

function pathOf(request: GatewayRequest): string {
  // A client may send the whole address in place of the path (RFC 9112 section 3.2.2).
  request.url = request.url?.replace(/^https?:\/\/[^/?]*(?=\/)/i, '');
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

function allowedMethods({ aliases }: Gateway, path: string): string[] {
  const methods = new Set(aliases.filter((alias) => alias.re.test(path)).map((alias) => alias.method));
  if (methods.size === 0) return [];
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods.add('OPTIONS')].sort();
}

function answerOptions(allowed: string[], response: GatewayResponse): void {
  if (allowed.length === 0) throw fail('ROUTE_NOT_FOUND');
  response.writeHead(204, { Allow: allowed.join(', ') });
  response.end();
}

/** While a service is missing its paths are unknown too: a client must not take them for wrong and give up. */
async function noRoute({ broker }: Gateway, allowed: string[]): Promise<Error> {
  if (allowed.length > 0) return fail('METHOD_NOT_ALLOWED', { headers: { Allow: allowed.join(', ') } });
  const missing = await readiness(broker);
  return missing.length > 0 ? fail('UNAVAILABLE', { headers: { 'Retry-After': '1' } }) : fail('ROUTE_NOT_FOUND');
}
