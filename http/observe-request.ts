import type { Server } from 'node:http';
import type { Logger } from 'moleculer';
import { Gauge, Histogram } from 'prom-client';
import { credentialId } from '../lib/caller.ts';
import { DeclaredFields, isLogged } from '../lib/logging.ts';
import { settings } from '../lib/settings.ts';
import { clientAddress } from './client-address.ts';
import type { HttpRequest, HttpResponse } from './exchange.ts';

const requestSeconds = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Time from the first byte of a request to the last of its answer, by route and status.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
});

const openConnections = new Gauge({ name: 'http_connections', help: 'Open connections of clients to the gateway.' });

/** Exports the number of a server's connections, which reveals leaks. */
export function observeConnections(server: Server): void {
  server.on('connection', (connection) => {
    openConnections.inc();
    connection.once('close', () => openConnections.dec());
  });
}

const logsRequests = isLogged('info', settings.LOG_LEVEL);
const logEvery = settings.ACCESS_LOG_EVERY;
const freeText = ['path'];
/** A path segment of this length may be a token: it is longer than any id. */
const tokenLike = /[\w-]{40,}/g;
let successes = 0;

/**
 * Logs and measures each request after its answer was sent. The query is not logged, because it may hold personal data.
 * The metrics use the route's pattern instead of the path, to bound their cardinality.
 */
export function observeRequest(logger: Logger, request: HttpRequest, response: HttpResponse): void {
  const milliseconds = performance.now() - request.startedAt;
  const method = request.receivedMethod;
  const route = request.route?.fullPath ?? 'unmatched';
  // 499: the client disconnected before its answer was complete.
  const status = response.writableFinished ? response.statusCode : 499;
  requestSeconds.observe({ method, route, status }, milliseconds / 1000);
  if (!logsRequests || isLook(route) || isSkipped(status)) return;
  const caller = request.ctx?.meta.caller;
  const fields = {
    requestId: request.requestId,
    method,
    path: loggedPath(request),
    status,
    milliseconds: Math.round(milliseconds * 10) / 10,
    address: clientAddress(request),
    ...(caller && { orgId: caller.orgId, credentialId: credentialId(caller) }),
    ...(logEvery > 1 && status < 400 && { logEvery }),
  };
  logger.info('request', new DeclaredFields(fields, freeText));
}

/** Whether it is a health probe, which supervisors send every few seconds; the node logs readiness changes itself. */
const isLook = (route: string): boolean => route.startsWith('/health/');

/** Samples successful requests by ACCESS_LOG_EVERY; rejected and failed ones are always logged. */
function isSkipped(status: number): boolean {
  if (logEvery === 1 || status >= 400) return false;
  successes += 1;
  return successes % logEvery !== 0;
}

/** The path without secrets, such as the token of an invitation. */
function loggedPath({ url = '', route, parameters }: HttpRequest): string {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  if (!route) return path.replace(tokenLike, '***');
  return route.fullPath.includes(':token') ? path.replace(encodeURIComponent(parameters.token ?? ''), '***') : path;
}
