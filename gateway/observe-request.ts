import type { Server } from 'node:http';
import type { Logger } from 'moleculer';
import { Gauge, Histogram } from 'prom-client';
import { credentialId } from '../lib/caller.ts';
import { clientAddress } from './client-address.ts';
import type { GatewayRequest, GatewayResponse } from './exchange.ts';

const requestSeconds = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Time from the first byte of a request to the last of its answer, by route and status.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
});

const openConnections = new Gauge({ name: 'http_connections', help: 'Open connections of clients to the gateway.' });

/** Counts a server's connections: one that never ends shows here. */
export function observeConnections(server: Server): void {
  server.on('connection', (connection) => {
    openConnections.inc();
    connection.once('close', () => openConnections.dec());
  });
}

/**
 * One log line and one measurement a request, once its answer has left. The query is not logged: it may name a person.
 * The route's pattern stands for the path in the metrics, so that their number stays bounded.
 */
export function observeRequest(logger: Logger, request: GatewayRequest, response: GatewayResponse): void {
  const milliseconds = performance.now() - request.startedAt;
  const method = request.receivedMethod;
  const route = request.route?.fullPath ?? 'unmatched';
  // 499: the client went away before its answer was complete.
  const status = response.writableFinished ? response.statusCode : 499;
  requestSeconds.observe({ method, route, status }, milliseconds / 1000);
  const caller = request.ctx?.meta.caller;
  logger.info('request', {
    requestId: request.requestId,
    method,
    path: (request.url ?? '').split('?')[0],
    status,
    milliseconds: Math.round(milliseconds * 10) / 10,
    address: clientAddress(request),
    ...(caller && { orgId: caller.orgId, credentialId: credentialId(caller) }),
  });
}
