import { describe, expect, test } from '@jest/globals';
import type { PaymentProvider } from '../../../services/billing/payment/provider.ts';
import { createGuard, withBreaker } from '../../../services/billing/payment/providers.ts';

class Down extends Error {}
const isOutage = (error: unknown) => error instanceof Down;

/** A provider behind a breaker, by a clock that the test turns; `requests` counts what reached it. */
function bench() {
  const state = { at: 0, requests: 0, answer: (): Promise<string> => Promise.resolve('done') };
  const call = createGuard(() => state.at);
  const ask = () =>
    call(
      'test',
      () => {
        state.requests += 1;
        return state.answer();
      },
      isOutage,
    );
  const outcome = () =>
    ask().catch((error) => ({ type: error.type, retryAfter: Number(error.data?.headers?.['Retry-After']) }));
  return { state, outcome, ask };
}

const down = () => Promise.reject(new Down('It is down.'));

describe('a payment provider that is down', () => {
  test('is 503 with the time to wait, and after three outages is not asked for a while', async () => {
    const { state, outcome } = bench();
    state.answer = down;
    for (let times = 0; times < 3; times += 1) expect(await outcome()).toEqual({ type: 'UNAVAILABLE', retryAfter: 5 });
    expect(state.requests).toBe(3);
    state.at = 2000;
    expect(await outcome()).toEqual({ type: 'UNAVAILABLE', retryAfter: 3 });
    expect(state.requests).toBe(3);
  });

  test('is asked once after each pause, which doubles up to five minutes', async () => {
    const { state, outcome } = bench();
    state.answer = down;
    for (let times = 0; times < 3; times += 1) await outcome();
    const pauses: number[] = [];
    for (let times = 0; times < 8; times += 1) {
      const begun = state.at;
      const requests = state.requests;
      while (state.requests === requests) {
        state.at += 1000;
        await outcome();
      }
      pauses.push((state.at - begun) / 1000);
    }
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 300, 300]);
  });

  test('is asked by one alone when a pause is over, and by all when it answers', async () => {
    const { state, outcome } = bench();
    state.answer = down;
    for (let times = 0; times < 3; times += 1) await outcome();
    state.at = 5000;
    let answer = (_text: string): void => undefined;
    state.answer = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const trial = outcome();
    expect(await outcome()).toMatchObject({ type: 'UNAVAILABLE' });
    expect(state.requests).toBe(4);
    answer('back');
    expect(await trial).toBe('back');
    state.answer = () => Promise.resolve('done');
    expect(await Promise.all([outcome(), outcome(), outcome()])).toEqual(['done', 'done', 'done']);
  });

  test('is no provider that refuses: its refusals are told as they are', async () => {
    const { state, ask } = bench();
    state.answer = () => Promise.reject(new Error('The card is declined.'));
    for (let times = 0; times < 5; times += 1) await expect(ask()).rejects.toThrow('The card is declined.');
    expect(state.requests).toBe(5);
  });

  test('takes calls of every kind with it, and verifies webhooks all the same', async () => {
    const provider = {
      name: 'test',
      isOutage,
      charge: down,
      end: down,
      read: () => Promise.resolve(null),
      verifyWebhook: () => Promise.resolve('verified'),
    } as unknown as PaymentProvider;
    const { charge, end, read, verifyWebhook } = withBreaker(provider);
    for (const method of [charge, end, charge]) await expect(method({} as never)).rejects.toMatchObject({ code: 503 });
    await expect(read('sub')).rejects.toMatchObject({ type: 'UNAVAILABLE' });
    expect(await verifyWebhook({} as never)).toBe('verified');
  });
});
