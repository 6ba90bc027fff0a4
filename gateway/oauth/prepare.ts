import { fail } from '../../lib/errors.ts';
import { settings } from '../../lib/settings.ts';
import type { GatewayRequest, GatewayResponse } from '../exchange.ts';

const largestBody = 56 * 1024;
const { host, protocol } = new URL(settings.PUBLIC_URL);

/**
 * Prepares a request for OAuth before it is counted and answered.
 *
 * @throws BODY_TOO_LARGE.
 */
export function prepare(request: GatewayRequest, response: GatewayResponse): void {
  pinAddress(request);
  adjustHeaders(response);
  if (Number(request.headers['content-length'] ?? 0) > largestBody) {
    throw fail('BODY_TOO_LARGE', { headers: { Connection: 'close' } });
  }
}

/**
 * Sets the address of the platform from the settings, so that a client's headers cannot change the endpoints'
 * addresses.
 */
function pinAddress({ headers }: GatewayRequest): void {
  for (const name of Object.keys(headers)) {
    if (name === 'forwarded' || (name.startsWith('x-forwarded-') && name !== 'x-forwarded-for')) delete headers[name];
  }
  headers.host = host;
  headers['x-forwarded-host'] = host;
  headers['x-forwarded-proto'] = protocol.slice(0, -1);
}

function adjustHeaders(response: GatewayResponse): void {
  // For the response mode `form_post` the provider adds the hash of its only script.
  const policy = "default-src 'none'; script-src; base-uri 'none'; frame-ancestors 'none'";
  response.setHeader('Content-Security-Policy', policy);
  // The allowed origins here are those of each client, not those of the platform's setting.
  for (const name of response.getHeaderNames()) if (name.startsWith('access-control-')) response.removeHeader(name);
}
