import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { networkOf } from '../lib/network.ts';
import { settings } from '../lib/settings.ts';

/**
 * The address a request came from. X-Forwarded-For counts only as far as our own proxies wrote it: with
 * TRUSTED_PROXIES of them, the client's address is that many entries from the right. An entry that is no address, such
 * as `unknown`, gives the peer's.
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

/** What the requests of an address are counted by: see {@link networkOf}. */
export function clientNetwork(request: IncomingMessage): string {
  return networkOf(clientAddress(request));
}

/** Some proxies write the client's port too: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(entry: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
}
