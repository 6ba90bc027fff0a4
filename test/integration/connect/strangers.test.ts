import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Client, clientOf } from '../../support/client.ts';
import { listen } from '../../support/event-client.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { storageOf } from '../../support/storage-client.ts';
import { eventually } from '../../support/until.ts';
import { askForSession, openSite, type Visitor, visitorOf } from '../../support/widget-client.ts';

/** A platform with limits, all of whose requests come from one address. */
let platform: Platform;
let shop: Client;

beforeAll(async () => {
  platform = await startPlatform({ env: { RATE_LIMIT_RPS: '100000' } });
  const { apiKey, orgId } = platform.firstRun;
  shop = clientOf({ url: platform.url, apiKey, orgId });
  await openSite(shop);
});

afterAll(() => platform.stop());

/** Repeats a request that the gateway refused because the address sends more than 20 a second. */
function patiently<T extends { status: number; headers: IncomingHttpHeaders }>(ask: () => Promise<T>): Promise<T> {
  return eventually(async () => {
    const answer = await ask();
    if (answer.status === 429 && Number(answer.headers['retry-after']) < 10) throw new Error('Too many requests');
    return answer;
  });
}

async function newStranger(): Promise<Visitor> {
  const { status, body } = await patiently(() => askForSession(platform.url, { tenantId: shop.orgId }));
  expect(status).toBe(200);
  return visitorOf(platform.url, body);
}

const open = ({ visitorToken }: Visitor) =>
  patiently(() => listen(platform.url, '/v1/widget/stream', { authorization: `Bearer ${visitorToken}` }));

describe('strangers at one address', () => {
  test('open 100 event streams, and no more with further sessions', async () => {
    const streams = [];
    for (let visitors = 0; visitors < 5; visitors += 1) {
      const visitor = await newStranger();
      for (let count = 0; count < 20; count += 1) streams.push(await open(visitor));
    }
    expect(streams.map(({ status }) => status)).toEqual(Array(100).fill(200));
    const late = await newStranger();
    expect((await open(late)).status).toBe(429);
    streams[0]!.close();
    await eventually(async () => {
      const stream = await open(late);
      stream.close();
      expect(stream.status).toBe(200);
    });
    for (const stream of streams) stream.close();
  });

  test('sign addresses for a part of the storage in a day, and the organization uploads as before', async () => {
    const size = 10 * 1024 * 1024;
    const file = { fileName: 'a.bin', mimeType: 'application/octet-stream', size };
    const statuses: number[] = [];
    for (let visitors = 0; visitors < 3; visitors += 1) {
      const visitor = await newStranger();
      const ask = () => patiently(() => visitor.send('POST', '/v1/widget/attachments', file));
      for (let count = 0; count < 11; count += 1) statuses.push((await ask()).status);
    }
    const signed = statuses.filter((status) => status === 200).length;
    expect(signed).toBeGreaterThanOrEqual(10);
    expect(signed).toBeLessThanOrEqual(20);
    expect(statuses.at(-1)).toBe(429);
    const storage = await eventually(() => storageOf(shop));
    expect((await storage.put(shop.orgId, 'own.bin', Buffer.alloc(size))).status).toBe(200);
  });
});
