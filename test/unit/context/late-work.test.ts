import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { isLate, letLateWorkPass, noteDue, noteSettled } from '../../../services/context/late-work.ts';

const dueFor = (orgId: string, milliseconds: number) => ({
  orgId,
  nextAttemptAt: new Date(Date.now() - milliseconds),
});

/** Asks to store events, and says whether they may be by now. */
function ask(orgId: string, count = 1) {
  const asked = { mayStore: false, passed: Promise.resolve() };
  asked.passed = letLateWorkPass(orgId, count).then(() => {
    asked.mayStore = true;
  });
  return asked;
}

/** Has work be late, and asks to store an event, which has to wait. */
async function askWhileLate() {
  noteDue([dueFor('late', 61_000)]);
  const asked = ask('late');
  await nextTurn();
  expect(asked.mayStore).toBe(false);
  return asked;
}

describe('work that has waited for a minute', () => {
  afterEach(() => noteDue([]));

  test('has the events of its organization wait until others are in their stories, and nobody else’s', async () => {
    noteDue([dueFor('late', 61_000), dueFor('other', 59_000)]);
    expect(isLate()).toBe(true);
    const [first, second, other] = [ask('late', 250), ask('late', 250), ask('other', 250)];
    await nextTurn();
    expect([first.mayStore, second.mayStore, other.mayStore]).toEqual([false, false, true]);
    noteSettled('other', 1000);
    await nextTurn();
    expect(first.mayStore).toBe(false);
    noteSettled('late', 300);
    await nextTurn();
    expect([first.mayStore, second.mayStore]).toEqual([true, false]);
    noteSettled('late', 40);
    await nextTurn();
    expect(second.mayStore).toBe(true);
  });

  test('has three events stored for four that were brought into stories', async () => {
    noteDue([dueFor('late', 61_000)]);
    let stored = 0;
    let isOver = false;
    const lanes = Array.from({ length: 4 }, async () => {
      for (;;) {
        await letLateWorkPass('late', 1);
        if (isOver) return;
        stored += 1;
      }
    });
    for (let settled = 0; settled < 400; settled += 100) {
      noteSettled('late', 100);
      await nextTurn();
    }
    isOver = true;
    expect(stored).toBe(300);
    noteDue([]);
    await Promise.all(lanes);
  });

  test('leaves what was not stored in a round for the next, but not of many rounds', async () => {
    noteDue([dueFor('late', 61_000)]);
    for (let round = 0; round < 10; round += 1) {
      noteSettled('late', 1000);
      noteDue([dueFor('late', 61_000)]);
    }
    const [first, second] = [ask('late', 1000), ask('late')];
    await nextTurn();
    expect([first.mayStore, second.mayStore]).toEqual([true, false]);
    noteDue([]);
    await second.passed;
  });

  test('has them wait for a second at most', async () => {
    const asked = await askWhileLate();
    await asked.passed;
  });

  test('has nobody wait once it is done', async () => {
    const asked = await askWhileLate();
    noteDue([dueFor('late', 1000)]);
    await nextTurn();
    expect(asked.mayStore).toBe(true);
    expect(isLate()).toBe(false);
  });
});
