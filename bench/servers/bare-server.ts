import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { takeServer } from '../load/job.ts';

/** The floor: what Node alone needs to answer the same bodies. `me` is what the credential's owner is answered. */
export type BareOptions = { authorization: string; me: unknown };

function start({ authorization, me }: BareOptions): Promise<{ port: number }> {
  const credentials = new Map([[authorization, me]]);
  const server = createServer((request, response) => {
    const owner = credentials.get(request.headers.authorization ?? '');
    if (owner === undefined) return answer(response, 401, {});
    if (request.method === 'GET') return answer(response, 200, owner);
    readText(request, (text) => answer(response, 201, { eventId: JSON.parse(text).eventId, status: 'accepted' }));
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve({ port: (server.address() as AddressInfo).port }));
  });
}

function readText(request: IncomingMessage, then: (text: string) => void): void {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk) => {
    text += chunk;
  });
  request.on('end', () => then(text));
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}

takeServer(start);
