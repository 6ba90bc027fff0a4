import { withoutLoopbackPort } from '../../lib/settings/mongo-url.ts';
import type { Client } from './clients.ts';

/**
 * Whether a client has registered a URI. URIs are compared character by character (RFC 9700 section 2.1), except for
 * the port of a loopback IP address, which an app on a device chooses when it starts (RFC 8252 section 7.3).
 */
export function isRegistered(registered: readonly string[], uri: string): boolean {
  if (registered.includes(uri)) return true;
  const portless = withoutLoopbackPort(uri);
  return portless !== null && registered.some((known) => withoutLoopbackPort(known) === portless);
}

/**
 * Whether another app could pose as the client of a request: any app on a device can use the id of a client without a
 * secret, listen on the loopback interface, and claim a private-use scheme (RFC 8252 section 8.6).
 */
export function canBeImpersonated({ tokenEndpointAuthMethod }: Client, redirectUri: string): boolean {
  return tokenEndpointAuthMethod === 'none' && !/^https:/i.test(redirectUri);
}
