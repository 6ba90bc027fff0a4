import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  applyBackpressure,
  creditBacklog,
  isLate,
  updateBacklog,
} from '../../../services/context/ingest/backpressure.ts';

const dueFor = (orgId: string, milliseconds: number) => ({
  orgId,
  nextAttemptAt: new Date(Date.now() - milliseconds),
});

/** Asks to store events, and says whether they may be by now. */
function ask(orgId: string, count = 1) {
  const asked = { mayStore: false, passed: Promise.resolve() };
  asked.passed = applyBackpressure(orgId, count).then(() => {
    asked.mayStore = true;
  });
  return asked;
}

/** Has work be late, and asks to store an event, which has to wait. */
async function askWhileLate() {
  updateBacklog([dueFor('late', 61_000)]);
  const asked = ask('late');
  await nextTurn();
  expect(asked.mayStore).toBe(false);
  return asked;
}

describe('work that has waited for a minute', () => {
  afterEach(() => updateBacklog([]));

  test('has the events of its organization wait until others are in their stories, and nobody else’s', async () => {
    updateBacklog([dueFor('late', 61_000), dueFor('other', 59_000)]);
    expect(isLate()).toBe(true);
    const [first, second, other] = [ask('late', 250), ask('late', 250), ask('other', 250)];
    await nextTurn();
    expect([first.mayStore, second.mayStore, other.mayStore]).toEqual([false, false, true]);
    creditBacklog('other', 1000);
    await nextTurn();
    expect(first.mayStore).toBe(false);
    creditBacklog('late', 300);
    await nextTurn();
    expect([first.mayStore, second.mayStore]).toEqual([true, false]);
    creditBacklog('late', 40);
    await nextTurn();
    expect(second.mayStore).toBe(true);
  });

  test('has three events stored for four that were brought into stories', async () => {
    updateBacklog([dueFor('late', 61_000)]);
    let stored = 0;
    let isOver = false;
    const lanes = Array.from({ length: 4 }, async () => {
      for (;;) {
        await applyBackpressure('late', 1);
        if (isOver) return;
        stored += 1;
      }
    });
    for (let settled = 0; settled < 400; settled += 100) {
      creditBacklog('late', 100);
      await nextTurn();
    }
    isOver = true;
    expect(stored).toBe(300);
    updateBacklog([]);
    await Promise.all(lanes);
  });

  test('leaves what was not stored in a round for the next, but not of many rounds', async () => {
    updateBacklog([dueFor('late', 61_000)]);
    for (let round = 0; round < 10; round += 1) {
      creditBacklog('late', 1000);
      updateBacklog([dueFor('late', 61_000)]);
    }
    const [first, second] = [ask('late', 1000), ask('late')];
    await nextTurn();
    expect([first.mayStore, second.mayStore]).toEqual([true, false]);
    updateBacklog([]);
    await second.passed;
  });

  test('has them wait for a second at most', async () => {
    const asked = await askWhileLate();
    await asked.passed;
  });

  test('has nobody wait once it is done', async () => {
    const asked = await askWhileLate();
    updateBacklog([dueFor('late', 1000)]);
    await nextTurn();
    expect(asked.mayStore).toBe(true);
    expect(isLate()).toBe(false);
  });
});
