import { afterEach, expect, test } from '@jest/globals';
import { type BrokerOptions, type Context, Errors, ServiceBroker } from 'moleculer';
import { apiError } from '../../../lib/contract/errors.ts';
import { moleculerMiddlewares } from '../../../mixins/broker-middlewares.ts';
import { eventually } from '../../support/until.ts';

const brokers: ServiceBroker[] = [];

afterEach(async () => {
  await Promise.all(brokers.splice(0).map((broker) => broker.stop()));
});

const forever = () => new Promise<never>(() => {});
const timeoutOf = (ctx: Context) => ctx.options.timeout ?? null;

async function startBroker(nodeID: string, options: BrokerOptions = {}): Promise<ServiceBroker> {
  const broker = new ServiceBroker({
    nodeID,
    logger: false,
    transporter: 'Fake',
    requestTimeout: 50,
    tracking: { enabled: true, shutdownTimeout: 1 },
    circuitBreaker: { enabled: true, minRequestCount: 4, halfOpenTime: 10, check: () => true },
    retryPolicy: { enabled: true, retries: 1, delay: 1, check: () => true },
    internalMiddlewares: false,
    middlewares: moleculerMiddlewares(),
    ...options,
  });
  let tries = 0;
  broker.createService({
    name: nodeID,
    actions: {
      timeout: timeoutOf,
      'timeout-declared': { timeout: 70, handler: timeoutOf } as object,
      hang: forever,
      moody: (ctx: Context<{ refuse: boolean }>) =>
        Promise.reject(ctx.params.refuse ? apiError('NOT_FOUND') : new Error('broken')),
      'hang-declared': { timeout: 5, handler: forever } as object,
      'caller-declares': { timeout: 1000, handler: forever } as object,
      fail: () => Promise.reject(new Error(`try ${++tries}`)),
      'fail-declared': { retryPolicy: { enabled: true }, handler: () => Promise.reject(new Error(`try ${++tries}`)) },
    },
  });
  brokers.push(broker);
  await broker.start();
  return broker;
}

test('a local action that declares no timeout has none, and one that declares it has that', async () => {
  const broker = await startBroker('here');
  expect(await broker.call('here.timeout')).toBeNull();
  expect(await broker.call('here.timeout-declared')).toBe(70);
  await expect(broker.call('here.hang-declared')).rejects.toThrow(Errors.RequestTimeoutError);
  await expect(broker.call('here.caller-declares', {}, { timeout: 5 })).rejects.toThrow(Errors.RequestTimeoutError);
});

test('a local action is tried again only where it declares so', async () => {
  const broker = await startBroker('here');
  await expect(broker.call('here.fail')).rejects.toThrow('try 1');
  await expect(broker.call('here.fail-declared')).rejects.toThrow('try 3');
});

test('a call of another node has the timeout of all, and its failure is tried again', async () => {
  const [here] = await Promise.all([startBroker('here'), startBroker('there')]);
  await here!.waitForServices('there');
  expect(await here!.call('there.timeout')).toBe(50);
  await expect(here!.call('there.hang', {}, { retries: 0 })).rejects.toThrow(Errors.RequestTimeoutError);
  await expect(here!.call('there.fail')).rejects.toThrow('try 2');
});

test('a node stops without waiting for calls of other nodes that have timed out', async () => {
  const tracking = { enabled: true, shutdownTimeout: 60_000 };
  const [here] = await Promise.all([startBroker('here', { tracking }), startBroker('there')]);
  await here!.waitForServices('there');
  await expect(here!.call('there.hang', {}, { retries: 0 })).rejects.toThrow(Errors.RequestTimeoutError);
  const late = new Promise((resolve) => setTimeout(resolve, 30_000, 'late').unref());
  expect(await Promise.race([here!.stop(), late])).not.toBe('late');
});

test('a circuit that failures opened is closed by a refusal, and refusals open none', async () => {
  const [here] = await Promise.all([startBroker('here'), startBroker('there')]);
  await here?.waitForServices('there');
  const call = (refuse: boolean) => here?.call('there.moody', { refuse }, { retries: 0 });
  for (let count = 0; count < 20; count += 1) await expect(call(true)).rejects.toThrow(apiError('NOT_FOUND').message);
  for (let count = 0; count < 20; count += 1) await expect(call(false)).rejects.toThrow('broken');
  await expect(call(false)).rejects.toThrow(Errors.ServiceNotAvailableError);
  await eventually(() => expect(call(true)).rejects.toThrow(apiError('NOT_FOUND').message));
  for (let count = 0; count < 20; count += 1) await expect(call(true)).rejects.toThrow(apiError('NOT_FOUND').message);
});
