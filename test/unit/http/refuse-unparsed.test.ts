import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Logger } from 'moleculer';
import { rejectUnparsed } from '../../../http/listener.ts';
import { exchangeBytes } from '../../support/raw-http.ts';

let server: Server;
let url: string;
const inFlight = new Set<ServerResponse>();
const logged: object[] = [];
const logger = { info: (_message: string, fields: object) => logged.push(fields) } as unknown as Logger;

beforeAll(async () => {
  server = createServer(
    { connectionsCheckingInterval: 20, headersTimeout: 100, requestTimeout: 200 },
    (request, response) => {
      inFlight.add(response);
      response.on('close', () => inFlight.delete(response));
      // Part of an answer is on its way before the request has come whole.
      if (request.url === '/early') response.write('early');
      request.on('end', () => response.end('whole')).resume();
      request.on('error', () => undefined);
    },
  );
  server.on('clientError', rejectUnparsed(logger, inFlight));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
});

describe('a request that does not arrive in time', () => {
  test.each([
    ['its headers', 'GET / HTTP/1.1\r\nHost: x\r\nx-slow: '],
    ['its body', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"slow":'],
  ])('with %s is answered 408, and its connection ends', async (_what, bytes) => {
    const answer = await exchangeBytes(url, bytes);
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toMatchObject({ error: 'REQUEST_TIMEOUT' });
  });

  test('is logged with its reason and address', () => {
    const [line] = logged;
    expect(line).toMatchObject({ status: 408, reason: 'ERR_HTTP_REQUEST_TIMEOUT', address: '127.0.0.1' });
  });

  test('gets no second answer after the beginning of a first', async () => {
    const answer = await exchangeBytes(url, 'POST /early HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"slow":');
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });
});
