import type { ServerResponse } from 'node:http';
import type { ServiceBroker } from 'moleculer';
import { settings } from '../lib/settings/settings.ts';
import { missingServices, unreadyReasons } from '../mixins/readiness.ts';
import type { OwnHandler } from './dispatch.ts';
import { endCoalesced } from './response.ts';

/**
 * The answer of `/health/ready`. `missing`: the reasons why the node cannot serve, empty when it can. `unavailable`:
 * the services that no node of the pool can serve; their paths answer 503, and the node is ready nevertheless.
 */
export type Readiness = { status: 'ready' | 'not ready'; missing: string[]; unavailable?: string[] };

/** The readiness of this node, for its metrics port. */
export function nodeReadiness(broker: ServiceBroker): Readiness {
  const missing = unreadyReasons(broker);
  return { status: missing.length === 0 ? 'ready' : 'not ready', missing };
}

/** The readiness of a listener. It is not ready while a service of REQUIRED_SERVICES is missing. */
export function listenerReadiness(broker: ServiceBroker, required = settings.REQUIRED_SERVICES): Required<Readiness> {
  const unavailable = missingServices(broker, required);
  const missing = [...new Set([...unreadyReasons(broker), ...(required ? unavailable : [])])];
  return { status: missing.length === 0 ? 'ready' : 'not ready', missing, unavailable };
}

/** Why a path without a route may belong to a service that is currently missing; empty when all routes are known. */
export function reasonsForMissingRoutes(broker: ServiceBroker): string[] {
  return [...unreadyReasons(broker), ...missingServices(broker, settings.REQUIRED_SERVICES)];
}

/** The liveness and readiness probes of a listener. */
export const healthRoutes: Record<string, OwnHandler> = {
  'GET /health/alive': (_request, response) => sendAlive(response),
  'GET /health/ready': function ready(_request, response) {
    sendReadiness(response, listenerReadiness(this.broker));
  },
};

export function sendAlive(response: ServerResponse): void {
  sendDocument(response, 200, { status: 'alive' });
}

export function sendReadiness(response: ServerResponse, readiness: Readiness): void {
  const isReady = readiness.status === 'ready';
  if (!isReady) response.setHeader('Retry-After', '1');
  sendDocument(response, isReady ? 200 : 503, readiness);
}

function sendDocument(response: ServerResponse, status: number, document: object): void {
  const text = JSON.stringify(document);
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(text) };
  endCoalesced(response.writeHead(status, headers), text);
}
