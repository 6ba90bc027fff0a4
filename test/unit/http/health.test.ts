import { afterEach, expect, jest, test } from '@jest/globals';
import type { ServiceBroker } from 'moleculer';
import { readiness } from '../../../http/health.ts';
import { settings } from '../../../lib/settings.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

test('readiness is asked for four times a second, and what is missing 40 times', async () => {
  let instant = 1000;
  jest.spyOn(performance, 'now').mockImplementation(() => instant);
  let lacks = ['database'];
  const call = jest.fn(() => Promise.resolve(lacks));
  const here = settings.REQUIRED_SERVICES.map((name) => ({ name, nodeID: 'here' }));
  const registry = { getServiceList: () => here };
  const broker = { call, registry, nodeID: 'here' } as unknown as ServiceBroker;
  const asked = async (later: number) => {
    instant += later;
    return { missing: await readiness(broker), times: call.mock.calls.length };
  };
  expect(await asked(0)).toEqual({ missing: ['database'], times: 1 });
  lacks = [];
  expect(await asked(24)).toEqual({ missing: ['database'], times: 1 });
  expect(await asked(1)).toEqual({ missing: [], times: 2 });
  lacks = ['nats'];
  expect(await asked(249)).toEqual({ missing: [], times: 2 });
  expect(await asked(1)).toEqual({ missing: ['nats'], times: 3 });
});
