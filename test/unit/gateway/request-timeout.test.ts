import { createServer, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { GatewayRequest } from '../../../gateway/exchange.ts';
import { enforceRequestTimeout } from '../../../gateway/request-timeout.ts';
import { callTimeout } from '../../../lib/calls.ts';

let server: Server;
let answering: Set<ServerResponse>;
let stop: () => void;
let arrived: Promise<GatewayRequest>;

beforeEach(async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'queueMicrotask'] });
  answering = new Set();
  server = createServer();
  arrived = new Promise((resolve) => {
    server.once('request', (incoming: GatewayRequest, response: ServerResponse) => {
      incoming.resume();
      Object.assign(incoming, { requestId: 'req_1', answerHeaders: { 'X-Request-Id': 'req_1' } });
      answering.add(response);
      resolve(incoming);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stop = enforceRequestTimeout(answering);
});

afterEach(() => {
  stop();
  server.closeAllConnections();
  server.close();
  jest.useRealTimers();
});

/** Begins a request with a body of five bytes. */
function begin() {
  const { port } = server.address() as AddressInfo;
  const sent = request({ host: '127.0.0.1', port, method: 'POST', headers: { 'content-length': 5 } });
  sent.on('error', () => {});
  const answer = new Promise<{ status?: number; text: string }>((resolve) => {
    sent.on('response', async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode, text });
    });
  });
  sent.write('four');
  return { sent, answer };
}

const isWhole = async (incoming: GatewayRequest) => {
  if (!incoming.complete) await new Promise((resolve) => incoming.once('end', resolve));
};

test('a request whose call takes too long is answered 503', async () => {
  const { sent, answer } = begin();
  sent.end('!');
  const incoming = await arrived;
  await isWhole(incoming);
  jest.advanceTimersByTime(callTimeout - 1);
  expect(incoming.hasTimedOut).toBeUndefined();
  jest.advanceTimersByTime(1000);
  expect(incoming.hasTimedOut).toBe(true);
  const { status, text } = await answer;
  expect(status).toBe(503);
  expect(JSON.parse(text)).toMatchObject({ error: 'UNAVAILABLE', requestId: 'req_1' });
});

test('the time that a client takes to send does not count', async () => {
  const { sent } = begin();
  const incoming = await arrived;
  jest.advanceTimersByTime(3 * callTimeout);
  expect(incoming.hasTimedOut).toBeUndefined();
  sent.end('!');
  await isWhole(incoming);
  jest.advanceTimersByTime(callTimeout - 1);
  expect(incoming.hasTimedOut).toBeUndefined();
});

test('an answer that has begun is left to end', async () => {
  const { sent } = begin();
  sent.end('!');
  const incoming = await arrived;
  await isWhole(incoming);
  const [response] = answering;
  response?.writeHead(200).write('a part');
  jest.advanceTimersByTime(3 * callTimeout);
  expect(incoming.hasTimedOut).toBeUndefined();
});
