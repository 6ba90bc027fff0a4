import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ServiceBroker } from 'moleculer';
import { freePort } from './free-port.ts';
import type { Sent } from './http.ts';
import { type Load, newEventRequest, startLoad, untilAnswered } from './load.ts';
import { type OwnDatabase, startOwnDatabase } from './own-database.ts';
import { type FirstRun, type NodeOptions, type Pool, startOperator, startPool } from './platform.ts';

/** Few requests, so that the load does not take the processor from what it accompanies. */
const connections = 1;
const pauseMilliseconds = 100;
/** Answers to wait for after an operation, so that the load covers its consequences. */
const answersAfter = 8;

/** The address of a listener, and the requests that it gets. */
type Target = { url: string; requests: (() => Sent)[] };

/**
 * Loads, replaces and unloads each service of the platform under load: on a node that runs all of them and on a node
 * that runs two, while another node is the gateway of calls from outside both. No request fails where a second node runs
 * the service.
 */
export function describeReplacedServices(runtime: NonNullable<NodeOptions['runtime']>): void {
  describe(`on nodes on ${runtime},`, () => {
    const fewPorts = { PORT: `${freePort()}`, STORAGE_PORT: `${freePort()}` };
    /** The folder of `all` and `few`, in which both keep objects. */
    const dataDir = mkdtempSync(join(tmpdir(), 'platform-'));
    let database: OwnDatabase;
    let pool: Pool;
    let gateway: string;
    let front: string;
    let storage: string;
    let operator: ServiceBroker;

    beforeAll(async () => {
      database = await startOwnDatabase({ port: 0 });
      pool = await startPool(
        [
          { runtime, dataDir, env: { NODE_ID: 'all' } },
          { runtime, dataDir, services: ['mail', 'connect'], env: { NODE_ID: 'few', ...fewPorts } },
          { services: ['gateway'], env: { NODE_ID: 'front' } },
        ],
        { MONGO_URL: database.url },
      );
      [gateway, front] = pool.urls as [string, string];
      storage = pool.env.STORAGE_URL!;
      operator = await startOperator(pool.env, ['all', 'few', 'front']);
    });

    afterAll(async () => {
      await operator?.stop();
      expect(await pool?.stop()).toEqual([0, 0, 0]);
      await database?.close();
      rmSync(dataDir, { recursive: true });
    });

    const control = (nodeID: string, action: 'load' | 'unload', params: object) =>
      operator.call<string, object>(`node.${action}`, params, { nodeID, timeout: 60_000 });
    const load = (nodeID: string, file: string) => control(nodeID, 'load', { file });
    const unload = (nodeID: string, name: string) => control(nodeID, 'unload', { name });

    /** The listeners under load while a service changes on `all`. */
    function targetsFor(service: string): Target[] {
      const { orgId, apiKey } = pool.firstRun;
      const headers = { Authorization: `Bearer ${apiKey}`, 'x-tenant-id': orgId, 'Content-Type': 'application/json' };
      const get = (path: string) => () => ({ path, headers });
      const check = JSON.stringify({
        applicationId: pool.firstRun.applicationId,
        permission: 'a.b',
        context: { orgId },
      });
      const requests = [
        get('/identity/me'),
        () => ({ method: 'POST', path: '/access/check', headers, body: check }),
        get(`/v1/orgs/${orgId}/usage`),
        () => newEventRequest({ orgId, apiKey }),
        get('/v1/mail/messages'),
        get('/v1/notifications'),
        get('/v1/connect/sites'),
      ];
      const objects = { url: storage, requests: [get('/v1/buckets')] };
      return [{ url: gateway, requests }, { url: front, requests }, ...(service === 'storage' ? [] : [objects])];
    }

    async function underLoad(targets: Target[], work: () => Promise<unknown>): Promise<void> {
      const loads = targets.map(({ url, requests }) => {
        let next = 0;
        return startLoad(url, connections, () => requests[next++ % requests.length]!(), pauseMilliseconds);
      });
      try {
        await untilAnswered(loads, 8);
        await work();
        await untilAnswered(loads, answersAfter);
      } finally {
        await Promise.all(loads.map(({ stop }) => stop()));
      }
      for (const each of loads) expectSuccess(each);
    }

    test.each([
      ['identity'],
      ['access'],
      ['billing'],
      ['context'],
      ['mail'],
      ['notification'],
      ['connect'],
      ['storage'],
      ['gateway'],
    ])('%s is loaded, replaced and unloaded under load', async (service) => {
      const isOnFew = service === 'mail' || service === 'connect';
      const targets = targetsFor(service);
      const own = service === 'storage' ? [{ url: storage, requests: storageRequests(pool.firstRun) }] : [];
      const replaced = expect.stringMatching(`^${service} was replaced on `);
      const added = expect.stringMatching(`^${service} was added on `);
      await underLoad([...targets, ...own], async () => {
        expect(await load('few', service)).toEqual(isOnFew ? replaced : added);
        expect(await load('few', service)).toEqual(replaced);
        expect(await load('all', service)).toEqual(replaced);
      });
      const twin = twinOf(service);
      const others = service === 'gateway' ? targets.slice(1) : targets;
      await underLoad([...others, ...twin], async () => {
        expect(await unload('all', service)).toBe(`${service} no longer runs on all.`);
        expect(await load('all', service)).toEqual(added);
      });
      await underLoad([...targets, ...own], async () => {
        expect(await unload('few', service)).toBe(`${service} no longer runs on few.`);
        if (isOnFew) expect(await load('few', service)).toEqual(added);
      });
    });

    /** The listener of the service's second node. */
    function twinOf(service: string): Target[] {
      const { PORT, STORAGE_PORT } = fewPorts;
      if (service === 'storage') return [{ url: addressOf(STORAGE_PORT), requests: storageRequests(pool.firstRun) }];
      const [{ requests }] = targetsFor(service) as [Target];
      return service === 'gateway' ? [{ url: addressOf(PORT), requests }] : [];
    }
  });
}

const addressOf = (port: string): string => `http://127.0.0.1:${port}`;

function storageRequests({ orgId, apiKey }: FirstRun): (() => Sent)[] {
  const headers = { Authorization: `Bearer ${apiKey}`, 'x-tenant-id': orgId };
  return [() => ({ path: '/v1/buckets', headers })];
}

function expectSuccess(load: Load): void {
  const failed = load.answers.filter(({ status }) => status >= 300);
  const failures = [
    ...new Set(failed.map(({ path, status, body }) => `${path}: ${status} ${body?.error} ${body?.message}`)),
  ];
  expect({ failures, lost: load.lost }).toEqual({ failures: [], lost: [] });
}
