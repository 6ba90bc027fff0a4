import { readForm } from '../../http/read-form.ts';
import type { Form } from '../../web/define-page.ts';
import { OAuthRefusal } from './answers.ts';
import { type Client, type Clients, hasSecret } from './clients.ts';
import { allowOrigin, allowRefusal } from './cors.ts';
import type { Exchange } from './exchange.ts';

type Credentials = { clientId: string; secret: string | undefined };

/** A request of a client about a token. */
export type TokenRequest = { client: Client; token: string };

/**
 * Reads the client and the token of a request (RFC 7009 section 2.1, RFC 7662 section 2.1). A confidential client
 * authenticates by Basic or in the form, not both; a public one only sends its id.
 *
 * @throws OAuthRefusal invalid_client, invalid_request.
 */
export async function readTokenRequest(clients: Clients, exchange: Exchange): Promise<TokenRequest> {
  allowRefusal(exchange);
  const form = await readForm(exchange.request);
  const { clientId, secret } = readCredentials(exchange.request.headers.authorization, form);
  const client = await clients.find(exchange.ctx, clientId);
  if (!client || !(await isProven(clients, exchange, client, secret))) throw failedAuthentication();
  allowOrigin(exchange, client);
  const { token } = form;
  if (!token) throw new OAuthRefusal(400, 'invalid_request', 'send the token');
  return { client, token };
}

async function isProven(
  clients: Clients,
  exchange: Exchange,
  client: Client,
  secret: string | undefined,
): Promise<boolean> {
  if (client.tokenEndpointAuthMethod !== 'none') {
    return secret !== undefined && (await verifyClientSecret(clients, exchange, client, secret));
  }
  if (secret !== undefined) return false;
  await exchange.meter.countAddress();
  return true;
}

/** Whether a request authenticates as a client by its secret. Rate limits then count it by the client. */
export function verifyClientSecret(
  clients: Clients,
  { ctx, meter }: Exchange,
  client: Client,
  secret: string,
): Promise<boolean> {
  return meter.prove(client.clientId, () => hasSecret(clients, ctx, client, secret));
}

function readCredentials(authorization: string | undefined, form: Form): Credentials {
  if (authorization === undefined) {
    if (!form.client_id) throw failedAuthentication();
    return { clientId: form.client_id, secret: form.client_secret };
  }
  const basic = readBasic(authorization);
  const isOneWay = form.client_secret === undefined && (form.client_id ?? basic.clientId) === basic.clientId;
  if (!isOneWay) throw new OAuthRefusal(400, 'invalid_request', 'authenticate the client in one way');
  return basic;
}

/** Decodes both parts, which are form-encoded before they are joined (RFC 6749 section 2.3.1). */
function readBasic(authorization: string): Credentials {
  const [, encoded = ''] = /^basic ([A-Za-z0-9+/]+=*)$/i.exec(authorization) ?? [];
  const [, id = '', secret = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  try {
    return { clientId: decodePart(id), secret: decodePart(secret) };
  } catch {
    throw failedAuthentication();
  }
}

function decodePart(part: string): string {
  return decodeURIComponent(part.replaceAll('+', ' '));
}

function failedAuthentication(): OAuthRefusal {
  return new OAuthRefusal(401, 'invalid_client', 'client authentication failed', 'Basic realm="platform"');
}
