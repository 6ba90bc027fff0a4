import { afterEach, describe, expect, test } from '@jest/globals';
import { createWorkerThread, type WorkerThread } from '../../../lib/concurrency/worker-thread.ts';
import { until } from '../../support/until.ts';
import type { Done, Wish } from './answering-thread.ts';

const minute = 60_000;
const started: WorkerThread<Wish, Done>[] = [];
afterEach(() => {
  for (const thread of started.splice(0)) thread.close();
});

function threadWith({ idleMilliseconds = minute } = {}): WorkerThread<Wish, Done> {
  const options = { name: 'The thread', failure: 'Answering failed', idleMilliseconds };
  const thread = createWorkerThread<Wish, Done>(new URL('./answering-thread.ts', import.meta.url), options);
  started.push(thread);
  return thread;
}

const answer = (value: number): Wish => ({ kind: 'answer', value });

describe('a worker thread', () => {
  test('answers each of many requests at the same time, in one thread', async () => {
    const thread = threadWith();
    const values = Array.from({ length: 50 }, (_, value) => value);
    const answers = Promise.all(values.map((value) => thread.call(answer(value))));
    expect(thread.pending()).toBe(50);
    expect((await answers).map(({ value }) => value)).toEqual(values);
    expect(new Set((await answers).map(({ threadId }) => threadId)).size).toBe(1);
    expect(thread.pending()).toBe(0);
  });

  test('rejects a request that fails, and no other', async () => {
    const thread = threadWith();
    const [failed, other] = await Promise.allSettled([thread.call({ kind: 'fail' }), thread.call(answer(1))]);
    expect(failed).toMatchObject({ reason: { name: 'Error', message: /^Answering failed: Error: As wished\.\n/ } });
    expect(other).toMatchObject({ value: { value: 1 } });
  });

  test('rejects the requests in flight when it crashes, and the next request starts another', async () => {
    const thread = threadWith();
    const before = await thread.call(answer(1));
    const inFlight = [thread.call({ kind: 'hang' }), thread.call({ kind: 'crash' })];
    const lost = { status: 'rejected', reason: { name: 'ThreadEndedError', isTimeout: false } };
    expect(await Promise.allSettled(inFlight)).toMatchObject([lost, lost]);
    expect((await thread.call(answer(2))).threadId).not.toBe(before.threadId);
  });

  test('is ended when the oldest request in flight takes too long', async () => {
    const thread = threadWith();
    const inFlight = [thread.call({ kind: 'hang' }, { timeout: 50 }), thread.call({ kind: 'hang' })];
    const slow = { reason: { name: 'ThreadEndedError', isTimeout: true } };
    expect(await Promise.allSettled(inFlight)).toMatchObject([slow, slow]);
    expect(await thread.call(answer(1), { timeout: minute })).toMatchObject({ value: 1 });
  });

  test('answers what is in flight when it is closed, and the next request starts another', async () => {
    const thread = threadWith();
    const inFlight = thread.call(answer(1));
    thread.close();
    const next = thread.call(answer(2));
    expect((await inFlight).threadId).not.toBe((await next).threadId);
  });

  test('ends when it is idle', async () => {
    const thread = threadWith({ idleMilliseconds: 1 });
    const { threadId } = await thread.call(answer(1));
    await until(async () => (await thread.call(answer(2))).threadId !== threadId);
  });
});
