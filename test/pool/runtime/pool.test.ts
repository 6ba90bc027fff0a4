import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { clientOf } from '../../support/client.ts';
import { eventOf } from '../../support/events.ts';
import { send } from '../../support/http.ts';
import { absentStoryRequest, newEventRequest, startLoad, statusesOf } from '../../support/load.ts';
import { expectToLoad } from '../../support/loading.ts';
import { type Pool, ready, serverVariable, startNode, startPool } from '../../support/platform.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { createTenant } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';

describe('two gateways and two context nodes over NATS', () => {
  const servicesDir = mkdtempSync(join(tmpdir(), 'services-'));
  let nats: TcpProxy;
  let pool: Pool;

  beforeAll(async () => {
    nats = await startTcpProxy(serverVariable('TEST_NATS_URL'));
    pool = await startPool(
      [
        { services: ['gateway', 'identity', 'access', 'billing', 'mail'], env: { NODE_ID: 'front-1' } },
        { services: ['gateway'] },
        { services: ['context'], env: { NODE_ID: 'worker-1', SERVICES_DIR: servicesDir } },
        { services: ['context'] },
      ],
      { NATS_URL: `nats://127.0.0.1:${nats.port}` },
    );
  });

  afterAll(async () => {
    await pool.stop();
    await nats.close();
    rmSync(servicesDir, { recursive: true });
  });

  test('refuse with 413 what NATS cannot carry, although the request is within its limit', async () => {
    const payload = `{"n":[${Array(10_000).fill('1e20').join(',')}]}`;
    const { orgId } = pool.firstRun;
    const { payload: _payload, ...rest } = eventOf(orgId);
    const event = `${JSON.stringify(rest).slice(0, -1)},"payload":${payload}}`;
    const events = `{"events":[${Array(14).fill(event).join(',')}]}`;
    const client = clientOf({ url: pool.urls[1]!, orgId, apiKey: pool.firstRun.apiKey });
    const { status, body } = await client.send('POST', '/events/batch', events);
    expect({ status, error: body.error }).toEqual({ status: 413, error: 'BODY_TOO_LARGE' });
  });

  test('refuse a revoked key everywhere', async () => {
    const { apiKey, applicationId: id, keyId } = await createTenant(pool.databaseUrl);
    const headers = { Authorization: `Bearer ${apiKey}` };
    const statuses = () =>
      Promise.all(pool.urls.map(async (url) => (await send(url, { path: '/identity/me', headers })).status));
    expect(await statuses()).toEqual([200, 200]);
    await send(pool.urls[0]!, { method: 'DELETE', path: `/applications/${id}/api-keys/${keyId}`, headers });
    await until(async () => (await statuses()).every((status) => status === 401));
  });

  test('refuse a revoked key although NATS was lost meanwhile, once it is back', async () => {
    const { apiKey, applicationId: id, keyId } = await createTenant(pool.databaseUrl);
    const headers = { Authorization: `Bearer ${apiKey}` };
    for (const url of pool.urls) expect((await send(url, { path: '/identity/me', headers })).status).toBe(200);
    await nats.cut();
    // The first gateway and identity share a process, so the revocation reaches no other node.
    const revoked = await send(pool.urls[0]!, {
      method: 'DELETE',
      path: `/applications/${id}/api-keys/${keyId}`,
      headers,
    });
    expect(revoked.status).toBe(204);
    await nats.mend();
    await until(async () => (await send(pool.urls[1]!, { path: '/health/ready' })).status === 200);
    await until(async () => (await send(pool.urls[1]!, { path: '/identity/me', headers })).status === 401);
  });

  test.each([
    ['is cut', () => nats.cut()],
    ['falls silent', () => nats.freeze()],
  ])('are not ready and answer 503 when the way to NATS %s, and heal by themselves', async (_how, lose) => {
    const request = () => send<{ error: string }>(pool.urls[1]!, newEventRequest(pool.firstRun));
    const readiness = (url: string) => send<{ missing?: string[] }>(url, { path: '/health/ready' });
    expect((await request()).status).toBe(201);
    await lose();
    try {
      await until(async () => (await request()).status === 503);
      expect(await request()).toMatchObject({
        status: 503,
        headers: { 'retry-after': '1' },
        body: { error: 'UNAVAILABLE' },
      });
      // Other nodes may count as lost before the way to NATS does.
      for (const url of pool.urls)
        await until(async () => (await readiness(url)).body?.missing?.includes('nats') === true);
      expect(await readiness(pool.urls[1]!)).toMatchObject({
        status: 503,
        headers: { 'retry-after': '1' },
        body: { status: 'not ready' },
      });
    } finally {
      await nats.mend();
    }
    await Promise.all(pool.urls.map((url, index) => ready(url, pool.nodes[index]!)));
    await until(async () => (await request()).status === 201);
  });

  test('serve what is loaded into a running node, until it is unloaded', async () => {
    await expectToLoad(pool, 'worker-1', servicesDir);
  });

  test('take no second node of a name', async () => {
    const second = startNode({ services: ['context'], env: { ...pool.env, NODE_ID: 'front-1' } });
    expect(await second.exited).toBe(1);
    expect(second.output()).toContain('A node named front-1 is already in the pool. Give this one another NODE_ID.');
    expect((await send(pool.urls[0]!, { path: '/health/ready' })).status).toBe(200);
  });

  test('lose no request when a context node under load is told to stop', async () => {
    const load = startLoad(pool.urls[0]!, 20, () => absentStoryRequest(pool.firstRun));
    await until(() => load.answers.length > 100);
    const code = await pool.nodes[3]!.stop();
    const answered = load.answers.length;
    await until(() => load.answers.length > answered + 50);
    await load.stop();
    expect(code).toBe(0);
    expect(load.lost).toEqual([]);
    expect(statusesOf(load)).toEqual({ 404: load.answers.length });
  });

  test('go on when a context node dies without a word', async () => {
    const dying = startNode({ services: ['context'], env: pool.env });
    await dying.logged(({ message }) => message === 'ready');
    const load = startLoad(pool.urls[0]!, 10, () => absentStoryRequest(pool.firstRun));
    await until(() => load.answers.length > 50);
    await dying.kill();
    const died = load.answers.length;
    // As long as nobody knows, some of a hundred requests in a row go to the dead node.
    const later = (from: number) => load.answers.slice(from);
    await until(() => later(died).length > 100 && later(-100).every(({ status }) => status === 404));
    const after = load.answers.length;
    await until(() => later(after).length > 100);
    await load.stop();
    expect(load.lost).toEqual([]);
    expect(statusesOf({ answers: later(after) })).toEqual({ 404: later(after).length });
  });
});
