import type { IncomingMessage } from 'node:http';
import { isLoopbackAddress, isLoopbackHostHeader } from '../lib/loopback.ts';
import { settings } from '../lib/settings.ts';

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

/**
 * Whether a request comes from this machine: the peer and `Host` are loopback, and no proxy forwarded it. Checking
 * `Host` prevents DNS rebinding by another site. Always false when the platform serves more than this machine.
 */
export function isFromThisMachine({ socket, headers }: IncomingMessage, { isPublic } = settings): boolean {
  if (isPublic || !isLoopbackAddress(socket.remoteAddress) || !isLoopbackHostHeader(headers.host)) return false;
  return !Object.keys(headers).some((name) => forwardingHeader.test(name));
}
