import { beforeAll, describe, expect, test } from '@jest/globals';
import mongoose from 'mongoose';
import type { EventDocument } from '../../../models/context/event.ts';
import { insertEvents, pauseOfInserts } from '../../../services/context/insert-events.ts';

const event: EventDocument = {
  _id: 'org_test:1',
  orgId: 'org_test',
  eventId: '1',
  identifiers: [],
  receivedAt: new Date(0),
};

/** Begins an insert that is on its way until Mongoose, which has no server here, gives it up. */
function beginInsert() {
  const insert = { hasEnded: false, end: Promise.resolve() };
  insert.end = insertEvents([{ document: event, isHeld: () => true }]).then(
    () => undefined,
    () => {
      insert.hasEnded = true;
    },
  );
  return insert;
}

describe('a pause of inserts', () => {
  beforeAll(() => {
    mongoose.set('bufferTimeoutMS', 100);
  });

  test('is there while no events are sent', async () => {
    await expect(pauseOfInserts(new AbortController().signal)).resolves.toBeUndefined();
  });

  test('comes when the last insert has ended', async () => {
    const first = beginInsert();
    const second = beginInsert();
    await pauseOfInserts(new AbortController().signal);
    expect([first.hasEnded, second.hasEnded]).toEqual([true, true]);
  });

  test('is not between an insert and the next that begins when it has ended', async () => {
    const first = beginInsert();
    const second = first.end.then(beginInsert);
    await pauseOfInserts(new AbortController().signal);
    const { hasEnded } = await second;
    expect(hasEnded).toBe(true);
  });

  test('is not waited for beyond the signal', async () => {
    const insert = beginInsert();
    const patience = new AbortController();
    const pause = pauseOfInserts(patience.signal);
    patience.abort();
    await pause;
    expect(insert.hasEnded).toBe(false);
    await insert.end;
  });
});
