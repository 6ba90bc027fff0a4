import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type EgressPolicy, problemOfUrl, requestOutside } from '../../../lib/net/egress.ts';
import { EgressError, type EgressRequest } from '../../../lib/net/http-exchange.ts';
import { isPublicAddress, type Network, parseNetwork } from '../../../lib/net/public-address.ts';

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function listen(listener: RequestListener, host = '127.0.0.1', port = 0): Promise<number> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  return (server.address() as AddressInfo).port;
}

const networks = (...texts: string[]): Network[] => texts.map((text) => parseNetwork(text)!);
const nothingAllowed: EgressPolicy = { allowed: [] };

/** A resolver that gives the next of the answers each time it is asked. */
function answering(...answers: string[][]): Required<EgressPolicy> & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    allowed: networks('127.0.0.1'),
    resolve(name) {
      asked.push(name);
      return Promise.resolve(answers[Math.min(asked.length, answers.length) - 1]!);
    },
  };
}

async function failureOf(url: string, policy: EgressPolicy, more: Partial<EgressRequest> = {}): Promise<string> {
  const error = await requestOutside({ method: 'POST', url, body: '{}', ...more }, policy).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(EgressError);
  return (error as EgressError).failure;
}

describe('an address', () => {
  test.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.15.255.255',
    '172.32.0.1',
    '100.63.255.255',
    '100.128.0.1',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
  ])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each([
    ...['127.0.0.1', '127.255.255.254', '0.0.0.0', '0.1.2.3', '10.0.0.1', '172.16.0.1', '172.31.255.255'],
    ...['192.168.0.1', '169.254.169.254', '100.64.0.1', '100.100.100.200', '192.0.0.192', '192.0.2.1'],
    ...['198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.255', '240.0.0.1'],
    ...['255.255.255.255', '168.63.129.16', '192.88.99.1'],
    ...['::', '::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::127.0.0.1', '::8.8.8.8', '64:ff9b::7f00:1'],
    ...['64:ff9b::808:808', '64:ff9b:1::1', '2002:7f00:1::1', '2002:808:808::1', '2001::1', 'fe80::1', 'fec0::1'],
    ...['fe80::1%eth0', 'fc00::1', 'fd00:ec2::254', 'ff02::1', '2001:db8::1', '100::1', '5f00::1', '4000::1'],
    ...['', 'localhost', '127.1', '0x7f.0.0.1', '0177.0.0.1', '2130706433', '8.8.8.8.'],
  ])('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('a URL', () => {
  test.each([
    'https://hooks.example.com/a?b=c',
    'https://hooks.example.com.:8443/',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]/',
    'https://xn--bcher-kva.example/',
  ])('%s may be called, as far as it shows', (url) => {
    expect(problemOfUrl(url, nothingAllowed)).toBeNull();
  });

  test.each([
    ...['http://hooks.example.com/', 'ftp://hooks.example.com/', 'file:///etc/passwd', 'gopher://a/', 'hooks', ''],
    ...['https://user@hooks.example.com/', 'https://user:word@hooks.example.com/', 'https://8.8.8.8@127.0.0.1/'],
    ...['https://127.0.0.1/', 'https://127.0.0.1./', 'https://127.1/', 'https://2130706433/', 'https://0x7f000001/'],
    ...['https://0177.0.0.1/', 'https://0x7f.1/', 'https://017700000001/', 'https://①②⑦.0.0.1/', 'https://0/'],
    ...['https://[::1]/', 'https://[::ffff:127.0.0.1]/', 'https://[::ffff:7f00:1]/', 'https://[::127.0.0.1]/'],
    ...['https://[64:ff9b::7f00:1]/', 'https://[2002:7f00:1::]/', 'https://[fe80::1]/', 'https://[fd00:ec2::254]/'],
    ...['https://169.254.169.254/latest/meta-data/', 'https://10.1.2.3/', 'https://192.168.1.1/'],
    ...['https://localhost/', 'https://LOCALHOST./', 'https://db.localhost/'],
    ...['https://hooks.example.com:25/', 'https://hooks.example.com:22/', 'https://8.8.8.8:465/'],
    `https://hooks.example.com/${'a'.repeat(2000)}`,
  ])('%s is refused', async (url) => {
    expect(problemOfUrl(url, nothingAllowed)).toEqual(expect.any(String));
    expect(await failureOf(url, nothingAllowed)).toBe('forbidden');
  });

  test('leads into a private network only where the operator allows that network', () => {
    const policy = { allowed: networks('10.20.0.0/16') };
    expect(problemOfUrl('http://10.20.1.1:8080/', policy)).toBeNull();
    expect(problemOfUrl('https://10.21.1.1/', policy)).not.toBeNull();
    expect(problemOfUrl('https://[::ffff:10.20.1.1]/', policy)).toBeNull();
  });
});

describe('a request', () => {
  test('is sent to the checked address under the name of the URL', async () => {
    const port = await listen((request, response) => {
      const { host, 'content-type': type } = request.headers;
      response.writeHead(201, { 'X-Seen': `${request.method} ${request.url}` }).end(`${host} ${type}`);
    });
    const policy = answering(['127.0.0.1']);
    const request = { method: 'POST' as const, url: `http://hooks.example.com:${port}/a?b=c`, body: '{}' };
    const answer = await requestOutside({ ...request, headers: { 'Content-Type': 'application/json' } }, policy);
    expect(answer).toMatchObject({ status: 201, body: `hooks.example.com:${port} application/json` });
    expect(answer.headers['x-seen']).toBe('POST /a?b=c');
    expect(policy.asked).toEqual(['hooks.example.com']);
  });

  test.each([
    [['127.0.0.2']],
    [['10.0.0.1']],
    [['169.254.169.254']],
    [['::1']],
    [['::ffff:10.0.0.1']],
    [['64:ff9b::a00:1']],
    [['8.8.8.8', '10.0.0.1']],
    [['127.0.0.1', '192.168.0.1']],
    [['8.8.8.8', 'not an address']],
  ])('is not sent when the host has %j', async (addresses) => {
    expect(await failureOf('https://hooks.example.com/', answering(addresses))).toBe('forbidden');
  });

  test('is not sent by plain HTTP, or to a port of another protocol, when the host is public', async () => {
    expect(await failureOf('http://hooks.example.com/', answering(['8.8.8.8']))).toBe('forbidden');
    expect(await failureOf('https://hooks.example.com:25/', answering(['8.8.8.8']))).toBe('forbidden');
  });

  test('goes where the check looked, although the name leads elsewhere a moment later', async () => {
    const seen: string[] = [];
    const noting = (name: string) => (_request: unknown, response: ServerResponse) => {
      seen.push(name);
      response.end();
    };
    const port = await listen(noting('allowed'));
    await listen(noting('private'), '127.0.0.2', port);
    const policy = answering(['127.0.0.1'], ['127.0.0.2']);
    const url = `http://rebinding.example.com:${port}/`;
    expect(await requestOutside({ method: 'GET', url }, policy)).toMatchObject({ status: 200 });
    expect(policy.asked).toHaveLength(1);
    expect(await failureOf(url, policy)).toBe('forbidden');
    expect(seen).toEqual(['allowed']);
  });

  test('follows no redirect', async () => {
    const paths: string[] = [];
    const port = await listen((request, response) => {
      paths.push(request.url!);
      response.writeHead(307, { Location: '/elsewhere' }).end();
    });
    const answer = await requestOutside({ method: 'POST', url: `http://127.0.0.1:${port}/`, body: '' }, answering([]));
    expect(answer.status).toBe(307);
    expect(paths).toEqual(['/']);
  });

  test('reads no more of an answer than its limit', async () => {
    const port = await listen((_request, response) => {
      response.writeHead(200);
      const pour = () => void (response.write('a'.repeat(10_000)) ? setImmediate(pour) : response.once('drain', pour));
      pour();
    });
    const request = { method: 'GET' as const, url: `http://127.0.0.1:${port}/`, maxResponseBytes: 25_000 };
    expect((await requestOutside(request, answering([]))).body).toBe('a'.repeat(25_000));
  });

  test('tells what was never sent from what nothing is known about', async () => {
    const closed = await listen(() => undefined);
    await new Promise((resolve) => servers.pop()!.close(resolve));
    expect(await failureOf(`http://127.0.0.1:${closed}/`, answering([]))).toBe('unreachable');
    const dropping = await listen((request) => void request.socket.destroy());
    expect(await failureOf(`http://127.0.0.1:${dropping}/`, answering([]))).toBe('unanswered');
    const silent = await listen(() => undefined);
    const soon = { timeoutMilliseconds: 100 };
    expect(await failureOf(`http://127.0.0.1:${silent}/`, answering([]), soon)).toBe('unanswered');
    const hanging = { ...answering([]), resolve: () => new Promise<string[]>(() => undefined) };
    expect(await failureOf('https://slow-names.example.com/', hanging, soon)).toBe('unreachable');
    expect(await failureOf('https://no-address.example.com/', answering([]))).toBe('unreachable');
  });
});
