import { createServer, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import {
  advance,
  graceMilliseconds,
  idleTimeout,
  isTooSlow,
  minBytesPerSecond,
  watchTransfers,
} from '../../../http/listener.ts';
import type { HttpRequest } from '../../../http/request.ts';
import { callTimeout } from '../../../lib/contract/context.ts';

let server: Server;
let answering: Set<ServerResponse>;
let stop: () => void;
let arrived: Promise<HttpRequest>;

beforeEach(async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'queueMicrotask'] });
  answering = new Set();
  server = createServer();
  arrived = new Promise((resolve) => {
    server.once('request', (incoming: HttpRequest, response: ServerResponse) => {
      incoming.resume();
      Object.assign(incoming, { requestId: 'req_1', answerHeaders: { 'X-Request-Id': 'req_1' } });
      answering.add(response);
      resolve(incoming);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stop = watchTransfers(answering);
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

const isWhole = async (incoming: HttpRequest) => {
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

test('a body that stands still is answered 408, and its connection ends', async () => {
  const { answer } = begin();
  const incoming = await arrived;
  jest.advanceTimersByTime(graceMilliseconds);
  expect(incoming.hasTimedOut).toBeUndefined();
  jest.advanceTimersByTime(1000);
  const { status, text } = await answer;
  expect(status).toBe(408);
  expect(JSON.parse(text)).toMatchObject({ error: 'REQUEST_TIMEOUT' });
});

describe('a transfer', () => {
  const second = 1000;
  /** The progress after steps of a second, in each of which so many bytes pass. */
  function endsAfter(seconds: number, bytesPerSecond: number, isWaiting = true) {
    let progress = advance(undefined, 0, isWaiting, 0);
    for (let passed = 1; passed <= seconds; passed += 1) {
      progress = advance(progress, passed * bytesPerSecond, isWaiting, passed * second);
    }
    return isTooSlow(progress, seconds * second);
  }

  test('may be as slow as the minimum rate', () => {
    expect(endsAfter(3600, minBytesPerSecond)).toBe(false);
    expect(endsAfter(3600, minBytesPerSecond - 1)).toBe(true);
  });

  test('may be slower at its beginning', () => {
    expect(endsAfter(graceMilliseconds / second - 1, 1)).toBe(false);
    expect(endsAfter(graceMilliseconds / second, 1)).toBe(true);
  });

  test('may stand still as long as the platform holds it up', () => {
    expect(endsAfter(3600, 0, false)).toBe(false);
  });

  test('may not stand still for long, however fast it was', () => {
    const fast = advance(advance(undefined, 0, true, 0), 1e9, true, second);
    const still = advance(fast, 1e9, true, second + idleTimeout - 1);
    expect(isTooSlow(still, second + idleTimeout - 1)).toBe(false);
    expect(isTooSlow(still, second + idleTimeout)).toBe(true);
  });
});
