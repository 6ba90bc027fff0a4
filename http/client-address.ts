import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { networkOf } from '../lib/network.ts';
import { settings } from '../lib/settings.ts';

/**
 * The client address of a request. Only the entries of X-Forwarded-For by trusted proxies count: with TRUSTED_PROXIES
 * of them, the client's address is that many entries from the right. When that entry is not an address, such as
 * `unknown`, the peer's address is used.
 */
export function clientAddress(request: IncomingMessage, trustedProxies: number = settings.TRUSTED_PROXIES): string {
  const peer = request.socket?.remoteAddress ?? 'unknown';
  if (trustedProxies === 0) return peer;
  const forwarded = [request.headers['x-forwarded-for'] ?? ''].flat().join(',');
  const addresses = forwarded
    .split(',')
    .map((address) => address.trim())
    .filter(Boolean);
  const address = withoutPort(addresses.at(-trustedProxies) ?? '');
  return isIP(address) === 0 ? peer : address;
}

/** The network by which rate limits count an address: see {@link networkOf}. */
export function clientNetwork(request: IncomingMessage): string {
  return networkOf(clientAddress(request));
}

/** Removes the client's port, which some proxies add: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(entry: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
}
