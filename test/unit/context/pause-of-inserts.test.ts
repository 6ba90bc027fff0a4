import { beforeAll, describe, expect, test } from '@jest/globals';
import { waitForInsertIdle } from '../../../services/context/ingest/insert-events.ts';
import { beginInsert, giveInsertsUpAfter } from './stuck-insert.ts';

describe('a pause of inserts', () => {
  beforeAll(() => {
    giveInsertsUpAfter(100);
  });

  test('is there while no events are sent', async () => {
    await expect(waitForInsertIdle(new AbortController().signal)).resolves.toBeUndefined();
  });

  test('comes when the last insert has ended', async () => {
    const first = beginInsert();
    const second = beginInsert();
    await waitForInsertIdle(new AbortController().signal);
    expect([first.hasEnded, second.hasEnded]).toEqual([true, true]);
  });

  test('is not between an insert and the next that begins when it has ended', async () => {
    const first = beginInsert();
    const second = first.end.then(beginInsert);
    await waitForInsertIdle(new AbortController().signal);
    const { hasEnded } = await second;
    expect(hasEnded).toBe(true);
  });

  test('is not waited for beyond the signal', async () => {
    const insert = beginInsert();
    const patience = new AbortController();
    const pause = waitForInsertIdle(patience.signal);
    patience.abort();
    await pause;
    expect(insert.hasEnded).toBe(false);
    await insert.end;
  });
});
