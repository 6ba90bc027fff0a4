import { afterEach, describe, expect, test } from '@jest/globals';
import type { Caller } from '../../../lib/contract/context.ts';
import { day, minute, setClock } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';
import { RefusedEventModel } from '../../../models/context/refused-event.ts';
import { keepRefusal, storeRefusals } from '../../../services/context/ingest/refused-events.ts';
import { removeOldRefused, trimRefused } from '../../../services/context/refused-events.ts';
import { ownContextDatabase } from '../../support/context-database.ts';
import { eventOf } from '../../support/events.ts';
import { quietLogger } from '../../support/quiet-logger.ts';

ownContextDatabase();

let putBack = () => {};
afterEach(() => putBack());

const setForward = (milliseconds: number) => {
  putBack();
  putBack = setClock(() => new Date(Date.now() + milliseconds));
};
const callerOf = (orgId: string): Caller => ({ type: 'application', id: newId('app'), orgId, scopes: ['svc:write'] });
const keep = (orgId: string, count: number) => {
  for (let place = 0; place < count; place += 1) {
    keepRefusal(callerOf(orgId), eventOf(orgId), { code: 'INPUT_INVALID' }, quietLogger);
  }
};
const storedOf = async (orgId: string) => {
  await storeRefusals(quietLogger);
  return await RefusedEventModel.find({ orgId }).sort({ _id: 1 }).lean();
};

describe('refused events', () => {
  test('of an organization are kept 60 times a minute, and the others counted', async () => {
    const [orgId, another] = [newId('org'), newId('org')];
    keep(orgId, 1000);
    keep(another, 1);
    expect(await storedOf(orgId)).toHaveLength(60);
    expect(await storedOf(another)).toHaveLength(1);
    setForward(minute);
    keep(orgId, 2);
    expect((await storedOf(orgId)).map(({ omitted }) => omitted).slice(-2)).toEqual([940, 0]);
  });

  test('of all organizations that wait to be stored are a thousand at most', async () => {
    const organizations = Array.from({ length: 30 }, () => newId('org'));
    for (const orgId of organizations) keep(orgId, 60);
    await storeRefusals(quietLogger);
    expect(
      await RefusedEventModel.countDocuments({ orgId: { $in: organizations } }).setOptions({ acrossTenants: true }),
    ).toBe(1000);
  });

  test('of an organization are the last thousand', async () => {
    const orgId = newId('org');
    const rows = Array.from({ length: 1010 }, (_none, place) => ({
      _id: `rfe_${String(place).padStart(26, '0')}`,
      orgId,
      refusedAt: new Date(),
      sender: { type: 'user' as const, id: 'usr_1' },
      isBatch: false,
      code: 'INPUT_INVALID',
      message: 'x',
      details: [],
      omitted: 0,
    }));
    await RefusedEventModel.insertMany(rows);
    await trimRefused(orgId);
    expect((await storedOf(orgId)).map(({ _id }) => _id)).toEqual(rows.slice(10).map(({ _id }) => _id));
  });

  test('are removed after seven days', async () => {
    const orgId = newId('org');
    keep(orgId, 1);
    await storeRefusals(quietLogger);
    setForward(6 * day);
    keep(orgId, 1);
    await storeRefusals(quietLogger);
    setForward(8 * day);
    await removeOldRefused(new AbortController().signal);
    expect(await storedOf(orgId)).toHaveLength(1);
  });
});
