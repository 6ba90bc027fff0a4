import type { IncomingMessage } from 'node:http';
import { settings } from '../lib/settings.ts';

/**
 * The address a request came from. X-Forwarded-For counts only as far as our own proxies wrote it: with
 * TRUSTED_PROXIES of them, the client's address is that many entries from the right.
 */
export function clientAddress(request: IncomingMessage, trustedProxies: number = settings.TRUSTED_PROXIES): string {
  const peer = request.socket?.remoteAddress ?? 'unknown';
  if (trustedProxies === 0) return peer;
  const forwarded = [request.headers['x-forwarded-for'] ?? ''].flat().join(',');
  const addresses = forwarded
    .split(',')
    .map((address) => address.trim())
    .filter(Boolean);
  return addresses.at(-trustedProxies) ?? peer;
}
