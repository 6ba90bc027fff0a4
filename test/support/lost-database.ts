import { expect } from '@jest/globals';
import { send } from './http.ts';
import { newEventRequest } from './load.ts';
import { type Platform, ready } from './platform-process.ts';
import type { TcpProxy } from './tcp-proxy.ts';
import { until } from './until.ts';

/** Loses the database of a platform in one way, and expects what the specification says until it is back. */
export async function expectToSurvive(platform: Platform, database: TcpProxy, how: 'cut' | 'freeze'): Promise<void> {
  const request = () => send<{ error: string }>(platform.url, newEventRequest(platform.firstRun));
  const readiness = () => send(platform.url, { path: '/health/ready' });
  expect((await request()).status).toBe(201);
  await database[how]();
  await until(async () => (await readiness()).status === 503);
  expect(await readiness()).toMatchObject({
    headers: { 'retry-after': '1' },
    body: { status: 'not ready', missing: ['database'] },
  });
  expect(await request()).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
    body: { error: 'UNAVAILABLE' },
  });
  await database.mend();
  await ready(platform.url, platform);
  expect((await request()).status).toBe(201);
}
