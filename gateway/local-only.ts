import type { IncomingMessage } from 'node:http';
import { fail } from '../lib/errors.ts';
import { isLoopbackAddress, isLoopbackHostHeader } from '../lib/loopback.ts';
import { settings } from '../lib/settings.ts';
import type { OwnHandler, Route } from './routes.ts';

/** The headers that proxies, load balancers and content delivery networks add to a forwarded request. */
const forwardingHeader = new RegExp(
  `^(?:${[
    'forwarded',
    'via',
    'x-forwarded(?:-.*)?',
    'x-real-ip',
    'x-(?:cluster-)?client-ip',
    'x-original-.*',
    'x-proxyuser-ip',
    'x-envoy-.*',
    'x-amzn?-.*',
    'x-azure-.*',
    'x-appengine-.*',
    'x-cloud-trace-context',
    'true-client-ip',
    'fastly-.*',
    'fly-.*',
    'cf-.*',
    'cdn-loop',
    'cloudfront-.*',
    'ngrok-.*',
    'tailscale-.*',
  ].join('|')})$`,
);

const localOnly = new WeakSet<OwnHandler>();

/**
 * Marks handlers for development. Their routes exist only for requests from this machine: {@link isFromThisMachine}.
 */
export function forThisMachine<T extends Record<string, OwnHandler>>(routes: T): T {
  for (const handler of Object.values(routes)) localOnly.add(handler);
  return routes;
}

/** Which routes exist for a request. */
export function routesFor(request: IncomingMessage): (route: Route) => boolean {
  return ({ handler }) => handler === null || !localOnly.has(handler) || isFromThisMachine(request);
}

/**
 * Whether a request comes from this machine: the peer and `Host` are loopback, and no proxy forwarded it. Checking
 * `Host` prevents DNS rebinding by another site. Always false when the platform serves more than this machine.
 */
export function isFromThisMachine({ socket, headers }: IncomingMessage, { isPublic } = settings): boolean {
  if (isPublic || !isLoopbackAddress(socket.remoteAddress) || !isLoopbackHostHeader(headers.host)) return false;
  return !Object.keys(headers).some((name) => forwardingHeader.test(name));
}

/** Throws NOT_FOUND unless the request comes from this machine. */
export function requireThisMachine(request: IncomingMessage): void {
  if (!isFromThisMachine(request)) throw fail('NOT_FOUND');
}
