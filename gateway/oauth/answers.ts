import type { HttpResponse } from '../../http/exchange.ts';

/** An error in the format of OAuth (RFC 6749 section 5.2) instead of the format of the other APIs. */
export class OAuthRefusal extends Error {
  readonly status: number;
  readonly error: string;
  readonly challenge: string | undefined;

  constructor(status: number, error: string, description: string, challenge?: string) {
    super(description);
    this.status = status;
    this.error = error;
    this.challenge = challenge;
  }
}

export function sendRefusal(response: HttpResponse, { status, error, message, challenge }: OAuthRefusal): void {
  if (challenge) response.setHeader('WWW-Authenticate', challenge);
  sendJson(response, status, { error, error_description: message });
}

export function sendJson(response: HttpResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
  });
  response.end(text);
}
