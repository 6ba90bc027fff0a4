import { afterEach, expect, test } from '@jest/globals';
import { ServiceBroker } from 'moleculer';
import { natsCircuitBreaker } from '../../../mixins/nats.ts';
import { retryLostCalls } from '../../../mixins/retry-lost-calls.ts';
import { until } from '../../support/until.ts';

const brokers: ServiceBroker[] = [];

afterEach(async () => {
  await Promise.all(brokers.splice(0).map((broker) => broker.stop()));
});

/** A caller and two nodes with one service, whose calls hang on the first node. `received` lists the calls by node. */
async function startNodes() {
  const received: string[] = [];
  const start = async (nodeID: string, handler?: (nodeID: string) => Promise<string>) => {
    const middlewares = [natsCircuitBreaker(), retryLostCalls()];
    const broker = new ServiceBroker({ nodeID, logger: false, transporter: 'Fake', middlewares });
    brokers.push(broker);
    const act = () => {
      received.push(nodeID);
      return handler?.(nodeID);
    };
    const actions = {
      read: { contract: { safe: true }, handler: act } as object,
      write: { contract: { safe: false }, handler: act } as object,
    };
    if (handler) broker.createService({ name: 'shop', actions });
    await broker.start();
    return broker;
  };
  const caller = await start('caller');
  await start('first', () => new Promise(() => {}));
  await caller.waitForServices('shop');
  const lose = async (nodeID: string) => {
    await until(() => received.includes(nodeID));
    caller.registry.discoverer.remoteNodeDisconnected(nodeID, true);
  };
  const startSecond = async () => {
    await start('second', (nodeID) => Promise.resolve(nodeID));
    await until(() => caller.registry.getNodeList({ onlyAvailable: true }).some(({ id }) => id === 'second'));
  };
  return { caller, received, lose, startSecond };
}

test('a safe call whose node is lost is answered by another node', async () => {
  const { caller, received, lose, startSecond } = await startNodes();
  const answer = caller.call('shop.read');
  await until(() => received.length === 1);
  await startSecond();
  await lose('first');
  expect(await answer).toBe('second');
  expect(received).toEqual(['first', 'second']);
});

test.each([
  ['a call that may change something', 'shop.write', {}],
  ['a call that names its node', 'shop.read', { nodeID: 'first' }],
])('%s is UNAVAILABLE when that node is lost, and not sent again', async (_what, action, options) => {
  const { caller, received, lose, startSecond } = await startNodes();
  const refused = expect(caller.call(action, {}, options)).rejects.toMatchObject({ type: 'UNAVAILABLE' });
  await until(() => received.length === 1);
  await startSecond();
  await lose('first');
  await refused;
  expect(received).toEqual(['first']);
});
