import type { ActionEndpoint, ServiceBroker } from 'moleculer';
import type { z } from 'zod';
import { credentialId } from '../lib/contract/context.ts';
import type { BytesAnswer, Contract, eventsOutput, KnownAnswer, StreamAnswer } from '../lib/contract/contract.ts';
import type { Action } from '../lib/contract/define-action.ts';
import { apiError } from '../lib/contract/errors.ts';
import type { PageAnswer } from '../web/page.ts';
import { tokenHashOf } from './authenticate.ts';
import type { FoundRoute, Route } from './dispatch.ts';
import type { EventStream } from './event-streams.ts';
import { noSuchPath } from './other-listener.ts';
import { clientOf, countAnonymous, credentialsOf, findCaller, prepare, type RequestServices } from './pipeline.ts';
import {
  type AnswerHeaders,
  clientNetwork,
  type HttpRequest,
  type HttpResponse,
  isFromThisMachine,
  newContext,
} from './request.ts';
import { endCoalesced, expose, setHeaders } from './response.ts';
import { isUnchanged, sendBytes, sendStream, sendUnchanged } from './send-content.ts';
import { sendDownload } from './send-download.ts';
import { renewSessionCookie, sendPage, setPageCookies } from './send-page.ts';

type Endpoint = ActionEndpoint & { action: { contract?: Contract } & Pick<Action, 'validator' | 'corsOfRefusal'> };
type Chosen = { endpoint: Endpoint; contract: Contract };

/** Answers a request with the result of its route's action, as the action's contract declares. */
export async function answerByAction(
  tools: RequestServices,
  { action }: Route,
  request: HttpRequest,
  response: HttpResponse,
): Promise<void> {
  const chosen = findEndpoint(action ?? '', request);
  const { endpoint, contract } = chosen;
  request.contract = contract;
  exposeAs(endpoint, request);
  const known = cachedValidator(endpoint, request);
  if (known) {
    await countAnonymous(tools, request, contract);
    return sendUnchanged(request, response, known);
  }
  const { input, data } = await callAction(tools, chosen, request).finally(() => request.release?.());
  const status = request.ctx.meta.$statusCode ?? contract.status;
  switch (contract.answers) {
    case 'json':
      return sendJson(request, response, status, data);
    case 'bytes':
      return sendBytes(request, response, status, data as BytesAnswer);
    case 'stream':
      return await sendStream(request, response, status, data as StreamAnswer);
    case 'redirect':
      return sendRedirect(request, response, status, data as { location: string });
    case 'events':
      return openStream(tools, chosen, input, request, response, data as z.output<typeof eventsOutput>);
    case 'html':
      return await answerPage(tools, contract, request, response, data as PageAnswer);
  }
}

async function callAction(tools: RequestServices, { endpoint, contract }: Chosen, request: HttpRequest) {
  const input = await prepare(tools, contract, request);
  // Use the contract of the chosen node, because another node may run another version.
  return { input, data: await request.ctx.call<unknown, object>(endpoint as never, input) };
}

/** The contract of a route's action; null where no node offers the action now. */
export function contractAt(broker: ServiceBroker, { action }: Route): Contract | null {
  const endpoint = action ? (broker.findNextActionEndpoint(action) as Partial<Endpoint>) : null;
  return endpoint?.action?.contract ?? null;
}

/** Applies the browser policy of the route's action to the error response of a request that fails before the action. */
export function exposeAsAnswer(broker: ServiceBroker, { route, parameters }: FoundRoute, request: HttpRequest): void {
  const endpoint = broker.findNextActionEndpoint(route.action ?? '') as Endpoint | Error;
  if (endpoint instanceof Error || !endpoint.action.contract) return;
  Object.assign(request, { parameters, query: {} });
  exposeAs(endpoint, request);
}

function exposeAs({ action: { contract, corsOfRefusal } }: Endpoint, request: HttpRequest): void {
  request.corsOfRefusal = corsOfRefusal;
  if (contract?.exposure) expose(request, contract.exposure);
}

/** Whether a route is visible to a request: development routes are visible on this machine only. */
export function isVisibleTo(request: HttpRequest, contract: Contract | null): boolean {
  return !contract?.thisMachineOnly || isFromThisMachine(request);
}

function findEndpoint(action: string, request: HttpRequest): Chosen {
  const { ctx } = request;
  const endpoint = ctx.broker.findNextActionEndpoint(action, {}, ctx) as Endpoint | Error;
  if (endpoint instanceof Error) throw endpoint;
  const { contract, visibility } = endpoint.action;
  // Only actions with a contract are served; other actions of services are private.
  if (!contract || visibility !== 'published' || !isVisibleTo(request, contract)) {
    const [path = '/'] = (request.url ?? '/').split('?');
    throw noSuchPath(request.method ?? 'GET', path);
  }
  const isStream = contract.takes === 'stream' || contract.answers === 'stream';
  // Streams have no backpressure over the broker, so their actions run on the node that has the connection.
  if (isStream && !(endpoint as { local?: boolean }).local) throw apiError('UNAVAILABLE');
  return { endpoint, contract };
}

/** The cached validator of the action where the client has the same content; otherwise null. */
function cachedValidator({ action }: Endpoint, request: HttpRequest): KnownAnswer | null {
  const { headers, parameters: path, query } = request;
  if (headers['if-none-match'] === undefined && headers['if-modified-since'] === undefined) return null;
  const known = action.validator?.({ path, query, headers });
  return known && isUnchanged(request, known) ? known : null;
}

/** Opens an event stream. Each check repeats the call and ends the stream when it is no longer allowed. */
function openStream(
  tools: RequestServices,
  { endpoint, contract }: Chosen,
  input: object,
  request: HttpRequest,
  response: HttpResponse,
  { channels, credential, limits }: z.output<typeof eventsOutput>,
): void {
  const { caller = null } = request.ctx.meta;
  const stream: EventStream = {
    response,
    caller,
    tokenHash: tokenHashOf(credentialsOf(tools, request, contract)),
    credential: credential ?? (caller ? credentialId(caller) : clientNetwork(request)),
    limits: limits ?? [],
    channels,
    async check() {
      const ctx = newContext(request.ctx.broker, request.requestId, { client: clientOf(request) });
      if (caller) ctx.meta.caller = await findCaller(tools, contract, request, ctx);
      return (await ctx.call<{ channels: string[] }, object>(endpoint as never, input)).channels;
    },
  };
  const lastId = request.headers['last-event-id'] ?? request.lastEventId ?? null;
  if (request.receivedMethod === 'HEAD') endCoalesced(response.writeHead(200, request.answerHeaders));
  else tools.streams.open(request, stream, typeof lastId === 'string' ? lastId : null);
}

async function answerPage(
  tools: RequestServices,
  contract: Contract,
  request: HttpRequest,
  response: HttpResponse,
  answer: PageAnswer,
): Promise<void> {
  const { download, cookies, error } = answer;
  if (error) request.answeredError = error;
  if (!download) setHeaders(request, response);
  if (contract.permission === 'session' && request.method === 'GET') renewSessionCookie(request, response);
  if (!download) return sendPage(response, answer);
  setPageCookies(response, cookies);
  await sendDownload(tools, contract, request, response, download);
}

function sendJson({ answerHeaders, ctx }: HttpRequest, response: HttpResponse, status: number, data: unknown): void {
  const headers: AnswerHeaders = Object.assign(answerHeaders, ctx.meta.$responseHeaders);
  if (status === 204) {
    endCoalesced(response.writeHead(204, headers));
    return;
  }
  const text = JSON.stringify(data);
  headers['Content-Type'] = 'application/json; charset=utf-8';
  headers['Content-Length'] = Buffer.byteLength(text);
  endCoalesced(response.writeHead(status, headers), text);
}

function sendRedirect(
  { answerHeaders, ctx }: HttpRequest,
  response: HttpResponse,
  status: number,
  { location }: { location: string },
): void {
  const headers = Object.assign(answerHeaders, ctx.meta.$responseHeaders, { Location: location, 'Content-Length': 0 });
  endCoalesced(response.writeHead(status, headers));
}
