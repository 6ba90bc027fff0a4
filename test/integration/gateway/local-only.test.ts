import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Answer, send } from '../../support/http.ts';
import { mailboxCookie, mailboxToken } from '../../support/mailbox.ts';
import { exchangeBytes } from '../../support/raw-http.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';

let url: string;
let cookie: string;
let checkout: string;

beforeAll(async () => {
  const platform = await sharedPlatform();
  url = platform.url;
  cookie = mailboxCookie(platform);
  const client = await newTenantClient();
  const back = `${url}/console/billing`;
  const body = { plan: 'pro', billingCycle: 'monthly', successUrl: back, cancelUrl: back } as const;
  const { checkoutUrl } = await client.call('billing.checkouts.open', { path: { orgId: client.orgId }, body });
  checkout = checkoutUrl.slice(url.length);
});

type Shape = { status: number; headers: object; words: string };

/** An answer without what differs from one request to the next. */
function shapeOf({ status, headers, text }: Answer, path = '/no/such'): Shape {
  const { date: _date, 'x-request-id': _id, 'content-length': _length, ...rest } = headers;
  return { status, headers: rest, words: text.replace(/req_[0-9a-z]+/g, 'req_').replace(path, '/no/such') };
}

const elsewhere: [string, Record<string, string>][] = [
  ['a name that was resolved to this machine', { host: 'evil.example' }],
  ['a name that begins like loopback', { host: '127.0.0.1.evil.example' }],
  ['a name below localhost', { host: 'app.localhost:3000' }],
  ['an address of the network', { host: '192.168.0.2' }],
  ['a user name before loopback', { host: 'evil.example@127.0.0.1' }],
  ...[
    'Forwarded',
    'X-Forwarded-For',
    'X-Forwarded-Proto',
    'X-Forwarded-Host',
    'X-Forwarded',
    'X-Real-IP',
    'Via',
    'CF-Connecting-IP',
    'True-Client-IP',
    'X-Client-IP',
    'X-Cluster-Client-IP',
    'Fly-Client-IP',
    'X-Amzn-Trace-Id',
  ].map((name): [string, Record<string, string>] => [`a proxy that adds ${name}`, { [name]: '127.0.0.1' }]),
];

describe('what is for development', () => {
  test.each(['localhost', 'localhost:3000', '127.0.0.1', '127.8.9.10:1', '[::1]', '[::1]:3000', 'LOCALHOST'])(
    'is there for this machine by the name %s',
    async (host) => {
      expect((await send(url, { path: '/dev/mailbox', headers: { host, cookie } })).status).toBe(200);
      expect((await send(url, { path: '/dev/gallery', headers: { host } })).status).toBe(200);
    },
  );

  test.each(elsewhere)('does not exist by %s', async (_by, headers) => {
    const unknown = shapeOf(await send(url, { path: '/no/such', headers }));
    expect(unknown).toMatchObject({ status: 404, words: expect.stringContaining('ROUTE_NOT_FOUND') });
    for (const path of [
      '/dev/mailbox',
      '/dev/mailbox/',
      '/DEV/mailbox',
      '/dev/mailbox/msg_1',
      '/dev/mailbox/msg_1/html',
      '/dev/gallery',
    ])
      for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS'])
        expect(shapeOf(await send(url, { method, path, headers }), path)).toEqual(
          shapeOf(await send(url, { method, path: '/no/such', headers })),
        );
  });

  test('does not exist for an address that stands in the request line in place of the host', async () => {
    const { port } = new URL(url);
    const token = mailboxToken(await sharedPlatform());
    const request = (target: string) => `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`;
    expect(await exchangeBytes(url, request('http://evil.example/dev/mailbox'))).toMatch(/^HTTP\/1\.1 404 /);
    expect(await exchangeBytes(url, request(`http://localhost:${port}/dev/mailbox?token=${token}`))).toMatch(
      /^HTTP\/1\.1 200 /,
    );
  });

  test('does not exist without a Host', async () => {
    for (const request of ['GET /dev/mailbox HTTP/1.0\r\n\r\n', 'GET /dev/mailbox HTTP/1.0\r\nHost:\r\n\r\n'])
      expect(await exchangeBytes(url, request)).toMatch(/^HTTP\/1\.1 404 /);
  });
});

describe('the test payment page', () => {
  test('is there for this machine', async () => {
    const { status, text } = await send(url, { path: checkout });
    expect(status).toBe(200);
    expect(text).toContain('you will not be charged');
  });

  test.each(elsewhere)('is not there by %s, and takes nothing', async (_by, headers) => {
    const none = checkout.replace(/chk_\w+/, 'chk_00000000000000000000000000');
    const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' };
    const ask = (path: string) =>
      Promise.all([
        send(url, { path, headers }),
        send(url, { method: 'POST', path, headers: form, body: 'act=approve' }),
      ]);
    const refused = (await ask(checkout)).map((one) => shapeOf(one));
    expect(refused).toEqual((await ask(none)).map((one) => shapeOf(one)));
    expect(refused.map(({ status }) => status)).toEqual([404, 404]);
  });
});
