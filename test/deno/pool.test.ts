import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { absentStoryRequest, newEventRequest, startLoad, statusesOf } from '../support/load.ts';
import { expectToLoad } from '../support/loading.ts';
import { type Pool, startPlatform, startPool } from '../support/platform.ts';
import { until } from '../support/until.ts';

describe('a pool with the gateway on Node and the context service on Deno', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'platform-'));
  let pool: Pool;

  beforeAll(async () => {
    const env = { NODE_ID: 'worker-1', SERVICES_DIR: dataDir };
    pool = await startPool([
      { services: ['gateway', 'identity', 'access', 'billing', 'mail'] },
      { services: ['context'], runtime: 'deno', dataDir, env },
    ]);
  });

  test('holds a load without losing a request', async () => {
    const load = startLoad(pool.urls[0]!, 10, () => absentStoryRequest(pool.firstRun));
    await until(() => load.answers.length >= 200);
    await load.stop();
    expect(load.lost).toEqual([]);
    expect(statusesOf(load)).toEqual({ 404: load.answers.length });
  });

  test('serves what is loaded into the node on Deno, until it is unloaded', async () => {
    await expectToLoad(pool, 'worker-1', dataDir);
  });

  test('stops in order', async () => {
    expect(await pool.stop()).toEqual([0, 0]);
    rmSync(dataDir, { recursive: true });
  });
});

describe('the whole platform on Deno', () => {
  test('starts on the embedded database, works, and stops in order', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'platform-'));
    const platform = await startPlatform({ runtime: 'deno', dataDir });
    const load = startLoad(platform.url, 10, () => newEventRequest(platform.firstRun));
    await until(() => load.answers.length >= 100);
    await load.stop();
    expect(load.lost).toEqual([]);
    expect(statusesOf(load)).toEqual({ 201: load.answers.length });
    expect(await platform.stop()).toBe(0);
    rmSync(dataDir, { recursive: true });
  });
});
