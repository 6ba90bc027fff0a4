import { expect, test } from '@jest/globals';
import { ServiceBroker } from 'moleculer';
import { callMetrics } from '../../../mixins/broker-middlewares.ts';

/** A broker with a service whose calls end when they are told to. */
async function startWorker(shutdownTimeout: number) {
  const broker = new ServiceBroker({
    logger: false,
    internalMiddlewares: false,
    middlewares: [callMetrics(shutdownTimeout)],
  });
  const told: (() => void)[] = [];
  let stopped = false;
  broker.createService({
    name: 'worker',
    actions: {
      work: () => new Promise<string>((resolve) => told.push(() => resolve('done'))),
      fail: () => new Promise<never>((_resolve, reject) => told.push(() => reject(new Error('failed')))),
    },
    stopped() {
      stopped = true;
    },
  });
  await broker.start();
  return { broker, told, isStopped: () => stopped };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a service stops at once when it serves no call', async () => {
  const { broker, isStopped } = await startWorker(60_000);
  await broker.stop();
  expect(isStopped()).toBe(true);
});

test('a service that stops first ends the calls it works on, those that fail too', async () => {
  const { broker, told, isStopped } = await startWorker(60_000);
  const calls = Promise.allSettled([broker.call('worker.work'), broker.call('worker.fail')]);
  const stopping = broker.stop();
  for (const end of told) {
    await turn();
    expect(isStopped()).toBe(false);
    end();
  }
  await stopping;
  expect(isStopped()).toBe(true);
  expect(await calls).toMatchObject([{ value: 'done' }, { reason: { message: 'failed' } }]);
});

test('a service gives up the calls that do not end', async () => {
  const { broker, isStopped } = await startWorker(1);
  void broker.call('worker.work');
  await broker.stop();
  expect(isStopped()).toBe(true);
});
