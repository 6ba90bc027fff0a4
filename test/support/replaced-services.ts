import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ServiceBroker } from 'moleculer';
import { freePort } from './free-port.ts';
import type { Sent } from './http.ts';
import { type Load, newEventRequest, startLoad } from './load.ts';
import {
  type FirstRun,
  firstRunOf,
  type NodeOptions,
  type NodeProcess,
  ready,
  serverVariable,
  startNode,
  urlOf,
} from './platform.ts';
import { until } from './until.ts';

/** Few, so that the load does not take the processor from what it accompanies. */
const connections = 1;
/** Answers to wait for after an operation, so that the load covers its consequences. */
const answersAfter = 24;

/** The address of a listener, and the requests that it gets. */
type Target = { url: string; requests: (() => Sent)[] };

/**
 * Loads, replaces and unloads each service of the platform under load: on a node that runs all of them and on a node
 * that runs two, while another node is the gateway of calls from outside both. No request fails where a second node runs
 * the service.
 */
export function describeReplacedServices(runtime: NonNullable<NodeOptions['runtime']>): void {
  describe(`under load, on nodes on ${runtime},`, () => {
    const fewPorts = { PORT: `${freePort()}`, STORAGE_PORT: `${freePort()}` };
    const storagePort = `${freePort()}`;
    const dataDir = mkdtempSync(join(tmpdir(), 'platform-'));
    const gatewayPort = `${freePort()}`;
    const gateway = addressOf(gatewayPort);
    const common = {
      NATS_URL: serverVariable('TEST_NATS_URL'),
      NAMESPACE: `test-${randomUUID().slice(0, 13)}`,
      SECRET_KEY: randomUUID(),
      DEV_MAILBOX: 'yes',
      PUBLIC_URL: gateway,
      STORAGE_URL: addressOf(storagePort),
      STORAGE_PORT: storagePort,
    };
    let nodes: NodeProcess[];
    let front: string;
    let firstRun: FirstRun;
    let operator: ServiceBroker;

    beforeAll(async () => {
      // The nodes share the embedded database of this folder.
      const start = (NODE_ID: string, services: string[], env: Record<string, string>) =>
        startNode({ runtime, dataDir, services, env: { ...common, NODE_ID, ...env } });
      nodes = [
        start('all', [], { PORT: gatewayPort }),
        start('few', ['mail', 'connect'], fewPorts),
        start('front', ['gateway'], {}),
      ];
      front = await urlOf(nodes[2]!);
      await Promise.all([ready(gateway, nodes[0]!), ready(front, nodes[2]!)]);
      await nodes[1]!.logged(({ message }) => message === 'ready');
      firstRun = firstRunOf(dataDir);
      const transporter = { type: 'NATS' as const, options: { url: common.NATS_URL } };
      operator = new ServiceBroker({ namespace: common.NAMESPACE, nodeID: 'operator', transporter, logger: false });
      await operator.start();
      await operator.waitForServices('node');
      const isKnown = (nodeID: string) =>
        operator.registry.getNodeList({ onlyAvailable: true }).some(({ id }) => id === nodeID);
      await until(() => isKnown('all') && isKnown('few') && isKnown('front'));
    });

    afterAll(async () => {
      await operator.stop();
      expect(await Promise.all(nodes.map((node) => node.stop()))).toEqual([0, 0, 0]);
      rmSync(dataDir, { recursive: true });
    });

    const control = (nodeID: string, action: 'load' | 'unload', params: object) =>
      operator.call<string, object>(`node.${action}`, params, { nodeID, timeout: 60_000 });
    const load = (nodeID: string, file: string) => control(nodeID, 'load', { file });
    const unload = (nodeID: string, name: string) => control(nodeID, 'unload', { name });

    /** The listeners under load while a service changes on `all`. */
    function targetsFor(service: string): Target[] {
      const { orgId, apiKey } = firstRun;
      const headers = { Authorization: `Bearer ${apiKey}`, 'x-tenant-id': orgId, 'Content-Type': 'application/json' };
      const get = (path: string) => () => ({ path, headers });
      const check = JSON.stringify({ applicationId: firstRun.applicationId, permission: 'a.b', context: { orgId } });
      const requests = [
        get('/identity/me'),
        () => ({ method: 'POST', path: '/access/check', headers, body: check }),
        get(`/v1/orgs/${orgId}/usage`),
        () => newEventRequest({ orgId, apiKey }),
        get('/v1/mail/messages'),
        get('/v1/notifications'),
        get('/v1/connect/sites'),
      ];
      const storage = { url: addressOf(storagePort), requests: [get('/v1/buckets')] };
      return [{ url: gateway, requests }, { url: front, requests }, ...(service === 'storage' ? [] : [storage])];
    }

    async function underLoad(targets: Target[], work: () => Promise<unknown>): Promise<void> {
      const loads = targets.map(({ url, requests }) => {
        let next = 0;
        return startLoad(url, connections, () => requests[next++ % requests.length]!());
      });
      try {
        await answered(loads, 8);
        await work();
        await answered(loads, answersAfter);
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
    ])('%s is loaded, replaced and unloaded', async (service) => {
      const isOnFew = service === 'mail' || service === 'connect';
      const targets = targetsFor(service);
      const own = service === 'storage' ? [{ url: addressOf(storagePort), requests: storageRequests(firstRun) }] : [];
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
      if (service === 'storage') return [{ url: addressOf(STORAGE_PORT), requests: storageRequests(firstRun) }];
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

/** Waits until each load has this many more answers. */
async function answered(loads: Load[], count: number): Promise<void> {
  const before = loads.map(({ answers }) => answers.length);
  await until(() => loads.every(({ answers }, index) => answers.length >= (before[index] ?? 0) + count));
}

function expectSuccess(load: Load): void {
  const failed = load.answers.filter(({ status }) => status >= 300);
  const failures = [...new Set(failed.map(({ status, body }) => `${status} ${body?.error} ${body?.message}`))];
  expect({ failures, lost: load.lost }).toEqual({ failures: [], lost: [] });
}
