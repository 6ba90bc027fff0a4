import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { Fields } from '../../../embedded/mongo/bson/value.ts';
import type { Command, Context } from '../../../embedded/mongo/commands/command.ts';
import { createExecutor } from '../../../embedded/mongo/group-commit.ts';
import { createOperations } from '../../../embedded/mongo/operations.ts';
import { isSliceOver, pause, type Work } from '../../../embedded/mongo/slice.ts';

const clock = { now: 0 };

beforeEach(() => {
  jest.spyOn(performance, 'now').mockImplementation(() => clock.now);
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** A read of so many documents, each of which takes a millisecond. */
function* work(documents: number): Work<Fields> {
  for (let read = 0; read < documents; read += 1) {
    clock.now += 1;
    if (isSliceOver()) yield pause;
  }
  return {};
}

function newExecutor() {
  const always = { mayBegin: () => true, onRelease: () => {} };
  const context = { log: always, checkpoints: always, operations: createOperations() };
  const executor = createExecutor(context as unknown as Context);
  const read = (documents: number, answer: () => void) => {
    const command: Command = { kind: 'read', options: new Set(), run: () => work(documents) };
    const request = { name: 'find', database: 'test', body: new Map(), sequences: new Map(), timeLimit: Infinity };
    executor.submit({ command, request, connection: {}, answer });
  };
  return { read };
}

test('a short read is not overtaken by more than arrive with it, however many follow', async () => {
  const { read } = newExecutor();
  const answered: number[] = [];
  let sent = 0;
  const send = () => {
    const place = sent;
    sent += 1;
    read(3, () => {
      answered.push(place);
      if (sent < 400) setImmediate(send);
    });
  };
  for (let client = 0; client < 32; client += 1) send();
  while (answered.length < 400) await nextTurn();
  const overtakenBy = answered.map((place, at) => at - place);
  expect(Math.max(...overtakenBy)).toBeLessThanOrEqual(32);
});

test('a short read is answered while long ones go on, and a long one while short ones go on arriving', async () => {
  const { read } = newExecutor();
  const answered: string[] = [];
  for (let count = 0; count < 4; count += 1) read(500, () => answered.push('long'));
  await nextTurn();
  read(1, () => answered.push('short'));
  const keepSending = () => {
    if (answered.filter((one) => one === 'long').length < 4) read(3, () => setImmediate(keepSending));
  };
  for (let client = 0; client < 32; client += 1) keepSending();
  while (answered.length < 5) await nextTurn();
  expect(answered).toEqual(['short', 'long', 'long', 'long', 'long']);
});
