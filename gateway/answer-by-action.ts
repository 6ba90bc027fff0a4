import type { ActionEndpoint } from 'moleculer';
import type { z } from 'zod';
import type { fileOutput } from '../lib/action.ts';
import type { Contract } from '../lib/contract.ts';
import { fail } from '../lib/errors.ts';
import type { AnswerHeaders, GatewayRequest, GatewayResponse } from './exchange.ts';
import { prepare, type Tools } from './pipeline.ts';
import type { Route } from './routes.ts';

type Endpoint = ActionEndpoint & { action: { contract?: Contract } };

/** Answers a request with the result of its route's action, as the action's contract declares. */
export async function answerByAction(
  tools: Tools,
  { action }: Route,
  request: GatewayRequest,
  response: GatewayResponse,
): Promise<void> {
  const { broker } = request.ctx;
  const endpoint = broker.findNextActionEndpoint(action ?? '', {}, request.ctx) as Endpoint | Error;
  if (endpoint instanceof Error) throw endpoint;
  const { contract, visibility } = endpoint.action;
  // Only actions with a contract are served; other actions of services are private.
  if (!contract || visibility !== 'published') throw fail('ROUTE_NOT_FOUND');
  const input = await prepare(tools, contract, request);
  // Use the contract of the chosen node, because another node may run another version.
  const data = await request.ctx.call(endpoint as never, input);
  if (request.hasTimedOut) return;
  const status = request.ctx.meta.$statusCode ?? contract.status;
  if (contract.answers === 'application/json') sendJson(request, response, status, data);
  else sendFile(request, response, contract, data as z.output<typeof fileOutput>);
}

function sendJson(
  { answerHeaders, ctx }: GatewayRequest,
  response: GatewayResponse,
  status: number,
  data: unknown,
): void {
  const headers: AnswerHeaders = Object.assign(answerHeaders, ctx.meta.$responseHeaders);
  if (status === 204) {
    response.writeHead(204, headers).end();
    return;
  }
  const text = JSON.stringify(data);
  headers['Content-Type'] = 'application/json; charset=utf-8';
  headers['Content-Length'] = Buffer.byteLength(text);
  response.writeHead(status, headers).end(text);
}

function sendFile(
  { answerHeaders, ctx }: GatewayRequest,
  response: GatewayResponse,
  { status, answers }: Contract,
  { fileName, base64 }: z.output<typeof fileOutput>,
): void {
  const bytes = Buffer.from(base64, 'base64');
  const headers = Object.assign(answerHeaders, ctx.meta.$responseHeaders, {
    'Content-Type': answers,
    'Content-Length': bytes.length,
    'Content-Disposition': `inline; filename="${fileName}"`,
  });
  response.writeHead(status, headers).end(bytes);
}
