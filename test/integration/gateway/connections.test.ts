import { request } from 'node:http';
import { connect } from 'node:net';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Client, clientOf } from '../../support/client.ts';
import { eventOf } from '../../support/events.ts';
import { freePort } from '../../support/free-port.ts';
import { readMetric } from '../../support/metrics.ts';
import { type LogLine, type Platform, startPlatform } from '../../support/platform.ts';
import { openConnection } from '../../support/raw-http.ts';
import { createTenant, databaseUrlOf } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';

let platform: Platform;
let own: Client;
let metricsPort: number;

beforeAll(async () => {
  metricsPort = freePort();
  platform = await startPlatform({ env: { METRICS_PORT: String(metricsPort) } });
  own = clientOf({ url: platform.url, ...(await createTenant(await databaseUrlOf(platform))) });
});

const openConnections = () => readMetric(metricsPort, 'http_connections');
const requestLines = (id: string): LogLine[] => platform.log().filter(({ requestId }) => requestId === id);

describe('the access log', () => {
  test('has one line a request, and none of its secrets', async () => {
    const id = 'log-1';
    const { status } = await own.send('GET', '/v1/story/resolve?q=person-in-a-query%40example.com', undefined, {
      'x-request-id': id,
    });
    expect(status).toBe(404);
    await platform.logged(({ requestId }) => requestId === id);
    expect(requestLines(id)).toEqual([
      {
        time: expect.any(String),
        level: 'info',
        node: expect.any(String),
        module: 'gateway',
        message: 'request',
        requestId: id,
        method: 'GET',
        path: '/v1/story/resolve',
        status: 404,
        milliseconds: expect.any(Number),
        address: '127.0.0.1',
        orgId: own.orgId,
        credentialId: expect.stringMatching(/^key_/),
      },
    ]);
    expect(platform.output()).not.toContain('person-in-a-query@example.com');
    expect(platform.output()).not.toContain('person-in-a-query%40example.com');
  });

  test.each([
    ['a success', 'POST', '/events', 201],
    ['a refusal', 'PUT', '/events', 405],
    ['an unknown path', 'GET', '/svc_live_secret', 404],
    ['HEAD', 'HEAD', '/openapi.json', 200],
  ])('tells of %s', async (what, method, path, status) => {
    const id = `log-${what.replaceAll(' ', '-')}`;
    await own.send(method, path, eventOf(own.orgId), { 'x-request-id': id });
    await platform.logged(({ requestId }) => requestId === id);
    expect(requestLines(id)).toMatchObject([{ message: 'request', method, status }]);
  });

  test('never holds a credential', async () => {
    await own.send('GET', `/${own.apiKey}`, undefined, { 'x-request-id': 'log-credential' });
    await platform.logged(({ requestId }) => requestId === 'log-credential');
    expect(platform.output()).not.toContain(own.apiKey);
  });
});

describe('the metrics', () => {
  test('count requests by route pattern and status', async () => {
    await own.send('GET', '/v1/story/customers/somebody');
    const labels = { method: 'GET', route: '/v1/story/customers/:customerId', status: '404' };
    await eventually(async () => {
      expect(await readMetric(metricsPort, 'http_request_duration_seconds_count', labels)).toBe(1);
    });
  });
});

test('a connection is kept for longer than a load balancer keeps it', async () => {
  const { headers } = await own.send('GET', '/health/alive');
  expect(headers).toMatchObject({ connection: 'keep-alive', 'keep-alive': 'timeout=75' });
});

describe('clients that go away', () => {
  test('leave nothing behind, and no error in the log', async () => {
    const before = await openConnections();
    await Promise.all(Array.from({ length: 100 }, abortInTheBody));
    await Promise.all(Array.from({ length: 100 }, abortBeforeTheAnswer));
    expect((await own.send('POST', '/events', eventOf(own.orgId))).status).toBe(201);
    await eventually(async () => expect(await openConnections()).toBeLessThanOrEqual(before + 1));
    expect(platform.log().filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
    expect(platform.log().filter(({ status }) => status === 499).length).toBeGreaterThan(0);
  });

  async function abortInTheBody(): Promise<void> {
    const head = ['POST /events HTTP/1.1', 'Host: x', 'Content-Type: application/json', 'Content-Length: 5000'];
    const credential = [`Authorization: Bearer ${own.apiKey}`, `x-tenant-id: ${own.orgId}`];
    const socket = await openConnection(platform.url, `${[...head, ...credential].join('\r\n')}\r\n\r\n{"eventId":`);
    socket.destroy();
  }

  async function abortBeforeTheAnswer(): Promise<void> {
    const { hostname, port } = new URL(platform.url);
    const headers = { authorization: `Bearer ${own.apiKey}`, 'x-tenant-id': own.orgId };
    const outgoing = request({ hostname, port, path: '/v1/story/customers/nobody', headers, agent: false });
    outgoing.on('error', () => undefined);
    await new Promise<void>((resolve) => {
      outgoing.on('finish', () => {
        outgoing.destroy();
        resolve();
      });
      outgoing.end();
    });
  }
});

describe('clients that send slowly', () => {
  test('hold up nobody, and their connections can be had again', async () => {
    const before = await openConnections();
    const slow = await Promise.all(
      Array.from({ length: 300 }, () => openConnection(platform.url, 'POST /events HTTP/1.1\r\nHost: x\r\nx-slow: ')),
    );
    const dripping = setInterval(() => {
      for (const socket of slow) socket.write('a');
    }, 50);
    try {
      await eventually(async () => expect(await openConnections()).toBeGreaterThanOrEqual(300));
      for (let count = 0; count < 50; count += 1) expect((await own.send('GET', '/identity/me')).status).toBe(200);
      expect(await openConnections()).toBeGreaterThanOrEqual(300);
    } finally {
      clearInterval(dripping);
      for (const socket of slow) socket.destroy();
    }
    await eventually(async () => expect(await openConnections()).toBeLessThanOrEqual(before + 1));
  });
});

describe('connections without requests', () => {
  let limited: Platform;
  beforeAll(async () => {
    limited = await startPlatform({ env: { MAX_CONNECTIONS: '80' } });
  });

  /** The status of a request from an address of this machine, on a connection of its own. */
  const statusFrom = (localAddress: string, path = '/health/alive'): Promise<number | undefined> =>
    new Promise((resolve, reject) =>
      request(`${limited.url}${path}`, { localAddress, agent: false }, (answer) => {
        answer.resume().once('end', () => resolve(answer.statusCode));
      })
        .once('error', reject)
        .end(),
    );

  /** Connections from an address, and how many of them are open still. */
  async function openFrom(localAddress: string, count: number) {
    const { hostname: host, port } = new URL(limited.url);
    const sockets = await Promise.all(
      Array.from({ length: count }, async () => {
        const socket = connect({ host, port: Number(port), localAddress });
        socket.on('error', () => undefined).resume();
        await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
        return socket;
      }),
    );
    return {
      open: () => sockets.filter(({ closed }) => !closed).length,
      end: () => {
        for (const one of sockets) one.destroy();
      },
    };
  }

  test('of one address are an eighth, and the oldest make room for requests from there', async () => {
    const own = await openFrom('127.0.0.1', 40);
    await eventually(async () => expect(own.open()).toBeLessThanOrEqual(10));
    expect(await statusFrom('127.0.0.1')).toBe(200);
    expect(await statusFrom('127.0.0.2')).toBe(200);
    own.end();
  });

  test('of many addresses are no more than the maximum, and make room for requests of others', async () => {
    const others = await Promise.all(Array.from({ length: 12 }, (_none, host) => openFrom(`127.0.1.${host + 1}`, 10)));
    const openOnes = () => others.reduce((sum, { open }) => sum + open(), 0);
    await eventually(async () => expect(openOnes()).toBeLessThanOrEqual(80));
    expect(openOnes()).toBeGreaterThan(60);
    for (let count = 0; count < 5; count += 1) expect(await statusFrom('127.0.0.3')).toBe(200);
    for (const { end } of others) end();
  });

  test('do not take the place of a request in flight', async () => {
    const { hostname: host, port } = new URL(limited.url);
    const socket = connect({ host, port: Number(port), localAddress: '127.0.2.1' });
    const { apiKey, orgId } = limited.firstRun;
    socket.write(`POST /events HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${apiKey}\r\n`);
    socket.write(`x-tenant-id: ${orgId}\r\n`);
    socket.write('Content-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n');
    const received = (): Promise<string> =>
      new Promise((resolve) => socket.once('data', (bytes) => resolve(bytes.toString())));
    expect(await received()).toMatch(/^HTTP\/1\.1 100 /);
    const own = await openFrom('127.0.2.1', 40);
    await eventually(async () => expect(own.open()).toBeLessThanOrEqual(10));
    const answered = received();
    socket.write('{}');
    expect(await answered).toMatch(/^HTTP\/1\.1 4\d\d /);
    own.end();
  });
});

describe('a body without a credential', () => {
  /** The first line of the answer to a head whose body does not come. */
  async function answerTo(lines: string[]): Promise<string> {
    const socket = await openConnection(
      platform.url,
      `${['POST /events HTTP/1.1', 'Host: x', ...lines].join('\r\n')}\r\n\r\n{`,
    );
    const bytes = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
    socket.destroy();
    return bytes.toString().split('\r\n')[0]!;
  }

  test.each([
    ['without one', [], 401],
    ['with one that is unknown', ['Authorization: Bearer svc_live_000000000000000000000000000000000000'], 401],
  ])('is not waited for beyond 16 KiB %s', async (_what, headers, status) => {
    const lines = ['Content-Type: application/json', `Content-Length: ${20 * 1024}`, ...headers];
    expect(await answerTo(lines)).toContain(` ${status} `);
  });

  test('is read up to 16 KiB, so that its shape is refused first', async () => {
    const answer = await own.send('POST', '/events', { wrong: 'x'.repeat(10_000) }, { authorization: null });
    expect(answer.status).toBe(400);
    const larger = await own.send('POST', '/events', { wrong: 'x'.repeat(20_000) }, { authorization: null });
    expect(larger.status).toBe(401);
  });
});
