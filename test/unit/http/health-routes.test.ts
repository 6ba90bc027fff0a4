import { afterEach, expect, jest, test } from '@jest/globals';
import type { ServiceBroker } from 'moleculer';
import { listenerReadiness, nodeReadiness } from '../../../http/health.ts';
import { recordReadiness } from '../../../mixins/readiness.ts';

const platformServices = ['identity', 'access', 'billing', 'context', 'mail', 'notification', 'connect'];

afterEach(() => {
  jest.restoreAllMocks();
});

/** A started broker that knows which nodes run which services, and that can send nothing. */
function brokerOf(nodes: Record<string, { services: string[]; available?: boolean; lacks?: string[] }>): ServiceBroker {
  const registry = {
    nodes: {
      toArray: () =>
        Object.entries(nodes).map(([id, { available = true }]) => ({ id, available, local: id === 'gateway-1' })),
    },
    hasService: (service: string, id: string) => nodes[id]?.services.includes(service) ?? false,
  };
  const services = [{ lacks: () => nodes['gateway-1']?.lacks ?? [] }];
  return { nodeID: 'gateway-1', started: true, services, registry } as unknown as ServiceBroker;
}

const allBut = (...missing: string[]) => platformServices.filter((name) => !missing.includes(name));

test.each([
  ['all services run elsewhere', { worker: { services: platformServices } }, []],
  ['one node lacks a service that another runs', { a: { services: ['mail'] }, b: { services: allBut('mail') } }, []],
  ['no node runs a service', { worker: { services: allBut('mail', 'connect') } }, ['mail', 'connect']],
  ['the only node with them is gone', { worker: { services: platformServices, available: false } }, platformServices],
])('a gateway is ready, and reports what is unavailable, when %s', (_when, others, unavailable) => {
  const broker = brokerOf({ 'gateway-1': { services: ['gateway'] }, ...others });
  expect(listenerReadiness(broker)).toEqual({ status: 'ready', missing: [], unavailable });
});

test('a service is unavailable while the only node that runs it says that it is not ready, or until that expires', () => {
  let instant = 1000;
  jest.spyOn(performance, 'now').mockImplementation(() => instant);
  const worker = { services: platformServices };
  const broker = brokerOf({ 'gateway-1': { services: ['gateway'] }, worker });
  recordReadiness(broker, 'worker', { reasons: ['database'] });
  expect(listenerReadiness(broker)).toEqual({ status: 'ready', missing: [], unavailable: platformServices });
  recordReadiness(broker, 'worker', { reasons: [] });
  expect(listenerReadiness(broker).unavailable).toEqual([]);
  recordReadiness(broker, 'worker', { reasons: ['database'] });
  instant += 15_000;
  expect(listenerReadiness(broker).unavailable).toEqual([]);
});

test('a gateway is not ready without what its own node needs', () => {
  const broker = brokerOf({ 'gateway-1': { services: platformServices, lacks: ['gateway'] } });
  expect(listenerReadiness(broker)).toEqual({ status: 'not ready', missing: ['gateway'], unavailable: [] });
  expect(nodeReadiness(broker)).toEqual({ status: 'not ready', missing: ['gateway'] });
});

test('required services make a gateway unready, and a node not', () => {
  const broker = brokerOf({ 'gateway-1': { services: ['gateway', 'identity'] } });
  const required = listenerReadiness(broker, ['identity', 'mail']);
  expect(required).toEqual({ status: 'not ready', missing: ['mail'], unavailable: ['mail'] });
  expect(nodeReadiness(broker)).toEqual({ status: 'ready', missing: [] });
});
