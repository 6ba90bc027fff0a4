import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { ServiceBroker } from 'moleculer';
import { createFailedRequestLog, type FailedRequestLog } from '../../../http/failed-requests.ts';
import type { HttpRequest } from '../../../http/request.ts';
import type { Caller, CallInput, RequestMeta } from '../../../lib/contract/context.ts';
import type { ErrorDetail } from '../../../lib/contract/errors.ts';
import { newId } from '../../../lib/data/ids.ts';
import { quietLogger } from '../../support/quiet-logger.ts';

type Batch = CallInput<'identity.requests.record'>['body'];

let batches: Batch[];
let answer: () => Promise<void>;
let log: FailedRequestLog;

beforeEach(() => {
  jest.useFakeTimers();
  batches = [];
  answer = () => Promise.resolve();
  const broker = {
    call(name: string, { body }: { body: Batch }) {
      expect(name).toBe('identity.requests.record');
      batches.push(body);
      return answer();
    },
  };
  log = createFailedRequestLog(broker as unknown as ServiceBroker, quietLogger);
});
afterEach(() => void jest.useRealTimers());

const [orgId, another] = [newId('org'), newId('org')];
const key: Caller = { type: 'application', id: newId('app'), orgId, scopes: [], keyId: newId('key') };
const user = (memberships: string[], named: string | null = null): Caller => ({
  type: 'user',
  id: newId('usr'),
  memberships: memberships.map((one) => ({ orgId: one, role: 'owner' })),
  orgId: named,
  scopes: [],
  sessionId: newId('ses'),
});

type Given = {
  meta?: RequestMeta;
  rejectedCaller?: Caller;
  route?: string;
  url?: string;
  headers?: Record<string, string>;
  message?: string;
  details?: ErrorDetail[];
};

/** A request that was answered 404, as the listener has it after the answer. */
function requestOf(given: Given = {}): HttpRequest {
  const { meta = { caller: key }, rejectedCaller, route = '/events/:eventId', url = '/events/one' } = given;
  const { headers = {}, message = 'There is no such resource.', details } = given;
  return {
    requestId: newId('req'),
    receivedMethod: 'GET',
    startedAt: performance.now() - 12.34,
    url,
    headers,
    route: { fullPath: route },
    ctx: { meta },
    rejectedCaller,
    answeredError: { error: 'NOT_FOUND', message, requestId: 'req', ...(details && { details }) },
  } as unknown as HttpRequest;
}

const sent = () => batches.flatMap(({ requests }) => requests);

/** Adds a request, and gives what is sent of it. */
async function recordOf(given: Given) {
  log.add(requestOf(given), 404);
  await log.flush();
  return sent().at(-1);
}

describe('the failed requests of a listener', () => {
  test('are sent together, once a second', async () => {
    for (let index = 0; index < 3; index += 1) log.add(requestOf(), 404);
    expect(batches).toEqual([]);
    await jest.advanceTimersByTimeAsync(1000);
    expect(batches.map(({ requests }) => requests.length)).toEqual([3]);
    log.add(requestOf(), 404);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(batches.map(({ requests }) => requests.length)).toEqual([3, 1]);
  });

  test('of one organization are sixty a minute; the others are counted at the last one', async () => {
    for (let index = 0; index < 1000; index += 1) log.add(requestOf(), 404);
    log.add(requestOf({ meta: { caller: { ...key, orgId: another } as Caller } }), 404);
    await jest.advanceTimersByTimeAsync(1000);
    expect(sent().filter((one) => one.orgId === orgId)).toHaveLength(60);
    expect(sent().filter((one) => one.orgId === another)).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(58_000);
    expect(batches).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(2000);
    expect(batches.slice(1)).toEqual([
      {
        requests: [],
        omissions: [
          {
            orgId,
            id: sent()
              .filter((one) => one.orgId === orgId)
              .at(-1)!.id,
            count: 940,
          },
        ],
      },
    ]);
    log.add(requestOf(), 404);
    await jest.advanceTimersByTimeAsync(1000);
    expect(sent()).toHaveLength(62);
  });

  test('of all organizations are a thousand at most, in batches that the broker takes', async () => {
    const long = 'x'.repeat(3000);
    const details = Array.from({ length: 20 }, () => ({ path: 'y'.repeat(100), message: 'z'.repeat(100) }));
    for (let organization = 0; organization < 30; organization += 1) {
      const meta = { caller: { ...key, orgId: newId('org') } as Caller };
      const given = { meta, url: `/${long}`, headers: { 'user-agent': long }, message: long, details };
      for (let index = 0; index < 60; index += 1) log.add(requestOf(given), 404);
    }
    await jest.advanceTimersByTimeAsync(20_000);
    expect(sent()).toHaveLength(1000);
    for (const batch of batches) expect(Buffer.byteLength(JSON.stringify(batch))).toBeLessThan(1024 * 1024);
    for (const { message, details: kept, path, userAgent } of sent()) {
      expect(Buffer.byteLength(JSON.stringify({ message, kept }))).toBeLessThan(2200);
      expect(kept.length).toBeGreaterThan(3);
      expect([path.length, userAgent!.length]).toEqual([500, 200]);
    }
  });

  test('are dropped when they cannot be stored, and neither kept nor thrown', async () => {
    answer = () => Promise.reject(new Error('identity is away'));
    log.add(requestOf(), 404);
    await jest.advanceTimersByTimeAsync(5000);
    expect(batches).toHaveLength(1);
    answer = () => Promise.resolve();
    log.add(requestOf(), 404);
    await jest.advanceTimersByTimeAsync(5000);
    expect(batches.map(({ requests }) => requests.length)).toEqual([1, 1]);
  });

  test('wait for the batch before them', async () => {
    let finish = () => {};
    answer = () => new Promise<void>((resolve) => (finish = resolve));
    log.add(requestOf(), 404);
    await jest.advanceTimersByTimeAsync(1000);
    log.add(requestOf(), 404);
    await jest.advanceTimersByTimeAsync(5000);
    expect(batches).toHaveLength(1);
    finish();
    await jest.advanceTimersByTimeAsync(1000);
    expect(batches).toHaveLength(2);
  });
});

describe('a failed request', () => {
  test('has what the answer had, and who sent it', async () => {
    const details = [{ path: 'body.name', message: 'Required (string).' }];
    expect(await recordOf({ details, headers: { 'user-agent': 'shop/1.0' }, url: '/events/one?email=ada' })).toEqual({
      id: expect.stringMatching(/^frq_/),
      orgId,
      requestId: expect.stringMatching(/^req_/),
      answeredAt: expect.any(String),
      method: 'GET',
      route: '/events/:eventId',
      path: '/events/one',
      status: 404,
      error: 'NOT_FOUND',
      message: 'There is no such resource.',
      details,
      milliseconds: 12.3,
      caller: { type: 'application', id: key.id, credentialId: (key as { keyId: string }).keyId },
      userAgent: 'shop/1.0',
    });
  });

  test('is of the organization that was named, of the only one, or of the website', async () => {
    const orgOf = async (given: Given) => (await recordOf(given))?.orgId;
    expect(await orgOf({ meta: { caller: user([orgId, another], another) } })).toBe(another);
    expect(await orgOf({ meta: {}, rejectedCaller: user([another]) })).toBe(another);
    const headers = { 'x-tenant-id': another };
    expect(await orgOf({ meta: {}, rejectedCaller: user([orgId, another]), headers })).toBe(another);
    expect(await orgOf({ meta: {}, rejectedCaller: key, headers })).toBe(orgId);
    const siteId = newId('site');
    expect(await recordOf({ meta: { website: { orgId: another, siteId } } })).toMatchObject({
      orgId: another,
      caller: { type: 'website', id: siteId, credentialId: null },
    });
  });

  test('of no organization, of an operator, and of an answer that is no error is not kept', async () => {
    log.add(requestOf({ meta: {} }), 401);
    log.add(requestOf({ meta: { caller: user([orgId, another]) } }), 400);
    log.add(requestOf({ meta: { caller: user([orgId]) }, route: '/operator/organizations/:orgId' }), 404);
    log.add({ ...requestOf(), answeredError: undefined } as unknown as HttpRequest, 400);
    log.add({ ...requestOf({ meta: {} }), ctx: undefined } as unknown as HttpRequest, 400);
    await jest.advanceTimersByTimeAsync(5000);
    expect(batches).toEqual([]);
  });

  test('holds no credential, and no token of its path', async () => {
    const secret = 'svc_live_JEW5pWJuw9vYqTr5qekF3GR7jFMeDi2rN5R6';
    const record = await recordOf({
      route: '/organizations/invitations/:token/accept',
      url: '/organizations/invitations/%41bcdefghijklmnopqrstu/accept?token=Abcdefghijklmnopqrstu',
      headers: { 'user-agent': `shop Bearer ${secret}`, authorization: `Bearer ${secret}` },
      message: `body.${secret} is not a field.`,
      details: [{ path: `body.${secret}`, message: `Not a field; ${secret}` }],
    });
    expect(record).toMatchObject({
      path: '/organizations/invitations/***/accept',
      message: 'body.svc_live_*** is not a field.',
    });
    expect(JSON.stringify(record)).not.toMatch(/JEW5|bcdefghijk/);
    const inPath = await recordOf({ url: `/events/${secret}` });
    expect(inPath?.path).toBe('/events/svc_live_***');
  });
});
