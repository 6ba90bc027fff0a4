import { afterEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isError } from '../../../lib/contract/errors.ts';
import { hour, setDatabaseAhead } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';
import { type CustomerDocument, CustomerModel } from '../../../models/context/customer.ts';
import { EventModel } from '../../../models/context/event.ts';
import { PendingEventModel } from '../../../models/context/pending-event.ts';
import { catchUpInTime, newWait } from '../../../services/context/compose/await-pending.ts';
import { eraseCustomer } from '../../../services/context/erasure.ts';
import { insertPending, newPendingEvent } from '../../../services/context/ingest/pending-events.ts';
import { storeEvents } from '../../../services/context/ingest/store-events.ts';
import { findOne, findSettledCustomer, readStory } from '../../../services/context/stories.ts';
import { composerVersion } from '../../../services/context/story/state.ts';
import { ownContextDatabase } from '../../support/context-database.ts';
import { eventAbout } from '../../support/events.ts';
import { propertyCases, propertyTimeout } from '../../support/property-cases.ts';
import { until } from '../../support/until.ts';
import { composeAll, findInconsistencies } from './consistency.ts';

ownContextDatabase();
afterEach(() => setDatabaseAhead(0));

const byId = (value: string) => [{ type: 'id' as const, value }];
const start = Date.UTC(2026, 0, 1);
const isoAt = (minute: number) => new Date(start + minute * 60_000).toISOString();

/** Events about a customer at these minutes; the address joins customers. */
const eventsAt = (orgId: string, customer: string, minutes: number[], email?: string) =>
  minutes.map((minute) => ({
    ...eventAbout(orgId, customer, { occurredAt: isoAt(minute) }),
    payload: { orderId: `o-${minute}`, total: 1, currency: 'EUR', ...(email && { email }) },
  }));

const range = (from: number, to: number) => Array.from({ length: to - from }, (_none, place) => from + place);
const customersOf = (orgId: string) => CustomerModel.find({ orgId }).lean<CustomerDocument[]>();

/** Has the folds be those of a version after this one, whose states are the same, or of this one. */
const changeVersion = (orgId: string, ahead: number) =>
  CustomerModel.updateMany(
    { orgId, composerVersion: { $gte: composerVersion } },
    { $set: { composerVersion: composerVersion + ahead } },
  );

const storyOf = (orgId: string, customer: string) =>
  readStory(orgId, byId(customer)).catch((error) => {
    if (error.type !== 'STORY_NOT_FOUND') throw error;
    return null;
  });

describe('the checkpoints of a fold', () => {
  test(
    'change no story, whatever comes late, joins, expires and is erased',
    async () => {
      const step = fc.record({
        kind: fc.constantFrom('send', 'send', 'send', 'join', 'expire', 'erase', 'read', 'restart', 'newer', 'same'),
        customer: fc.constantFrom('a', 'b'),
        count: fc.integer({ min: 1, max: 90 }),
        seed: fc.integer({ min: 1, max: 400 }),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
          const orgId = newId('org');
          const take = async ({ kind, customer, count, seed }: (typeof steps)[number]) => {
            // Many of them at one instant.
            const minutes = range(0, count).map((place) => ((seed * (place + 1) * 7919) % 1009) % 97);
            if (kind === 'send') await storeEvents(orgId, eventsAt(orgId, customer, minutes));
            if (kind === 'join') await storeEvents(orgId, eventsAt(orgId, customer, [seed], 'ada@example.com'));
            if (kind === 'expire') {
              const some = await EventModel.find({ orgId, customer: { $ne: null } })
                .skip(seed % 50)
                .limit(3)
                .lean();
              const own = { orgId, _id: { $in: some.map(({ _id }) => _id) } };
              await EventModel.updateMany(own, { $set: { expired: true } });
              await insertPending(some.map(newPendingEvent));
            }
            if (kind === 'erase') await eraseCustomer(orgId, await findOne(orgId, byId(customer)));
            if (kind === 'read') await readStory(orgId, byId(customer));
            if (kind === 'restart') await composeAll();
            if (kind === 'newer' || kind === 'same') await changeVersion(orgId, kind === 'newer' ? 1 : 0);
          };
          for (const one of steps) {
            await take(one).catch((error) => {
              if (error.type !== 'STORY_NOT_FOUND') throw error;
            });
          }
          // The fold that is kept for this version tells what the newest one does.
          await changeVersion(orgId, 1);
          const told = [await storyOf(orgId, 'a'), await storyOf(orgId, 'b')];
          await changeVersion(orgId, 0);
          await composeAll();
          expect(await findInconsistencies(orgId)).toEqual([]);
          expect([await storyOf(orgId, 'a'), await storyOf(orgId, 'b')]).toEqual(told);
        }),
        { numRuns: propertyCases(4, 300), endOnFailure: true },
      );
    },
    propertyTimeout,
  );

  test('let a late event fold again only what follows the checkpoint before it', async () => {
    const orgId = newId('org');
    await storeEvents(orgId, eventsAt(orgId, 'a', range(0, 400)));
    await composeAll();
    const [before] = await customersOf(orgId);
    await storeEvents(orgId, eventsAt(orgId, 'a', [350.5]));
    // It is assigned, and the fold went back no further than it had to.
    await findSettledCustomer(orgId, byId('a')[0]!);
    const [behind] = await customersOf(orgId);
    expect(behind!.composeAt).not.toBeNull();
    const { state } = JSON.parse(behind!.foldState!);
    expect(state.eventCount).toBeGreaterThan(250);
    expect(state.eventCount).toBeLessThanOrEqual(351);
    expect(behind!.checkpoints).toEqual(before!.checkpoints!.filter(({ count }) => count <= 350));
    await readStory(orgId, byId('a'));
    expect(await findInconsistencies(orgId)).toEqual([]);
  });

  test('hold for hundreds of events of one instant, of which some were stored without a tiebreaker', async () => {
    const orgId = newId('org');
    const names = ['order.created', 'order.refunded', 'order.cancelled', 'payment.succeeded', 'payment.failed'];
    const some = range(0, 700).map((place) => ({
      ...eventAbout(orgId, 'a', { occurredAt: isoAt(place % 50 === 0 ? place : 7), eventName: names[place % 5]! }),
      payload: { orderId: `o-${place % 90}`, total: 1 + place, refundAmount: 1, currency: 'EUR' },
    }));
    await storeEvents(orgId, some.slice(0, 300));
    await EventModel.updateMany({ orgId }, { $unset: { tiebreaker: 1 } });
    await storeEvents(orgId, some.slice(300, 600));
    await composeAll();
    expect(await findInconsistencies(orgId)).toEqual([]);
    for (const late of some.slice(600)) await storeEvents(orgId, [late]);
    await composeAll();
    expect(await findInconsistencies(orgId)).toEqual([]);
    await CustomerModel.updateMany({ orgId }, { $set: { composerVersion: 1 }, $inc: { revision: 1 } });
    await readStory(orgId, byId('a'));
    expect(await findInconsistencies(orgId)).toEqual([]);
  });

  test('are continued from at once by a node whose clock is ahead of the database', async () => {
    setDatabaseAhead(-hour);
    const orgId = newId('org');
    await storeEvents(orgId, eventsAt(orgId, 'a', range(0, 100)));
    await composeAll();
    await storeEvents(orgId, eventsAt(orgId, 'a', [50.5]));
    await composeAll();
    expect(await findInconsistencies(orgId)).toEqual([]);
  });

  test('are dropped with a merge, an erasure and another version of the composer', async () => {
    const orgId = newId('org');
    for (const customer of ['a', 'b']) await storeEvents(orgId, eventsAt(orgId, customer, range(0, 100)));
    await composeAll();
    expect((await customersOf(orgId)).map(({ checkpoints }) => checkpoints!.length)).toEqual([1, 1]);
    await CustomerModel.updateMany({ orgId }, { $set: { composerVersion: 1 }, $inc: { revision: 1 } });
    expect((await readStory(orgId, byId('a'))).updatedAt).toBe(isoAt(99));
    await storeEvents(orgId, eventsAt(orgId, 'a', [50.5], 'ada@example.com'));
    await storeEvents(orgId, eventsAt(orgId, 'b', [60.5], 'ada@example.com'));
    await composeAll();
    expect(await findInconsistencies(orgId)).toEqual([]);
    const merged = (await customersOf(orgId)).find(({ mergedInto }) => mergedInto);
    expect(merged).toMatchObject({ foldState: null, checkpoints: [], composeAt: null });
    await eraseCustomer(orgId, await findOne(orgId, byId('b')));
    expect(await customersOf(orgId)).toEqual([]);
  });
});

describe('the fold of an older version', () => {
  test('is kept by the first write of a newer one, marked for its events, and removed when no node continues it', async () => {
    const orgId = newId('org');
    await storeEvents(orgId, eventsAt(orgId, 'a', range(0, 100)));
    await composeAll();
    await CustomerModel.updateMany({ orgId }, { $set: { composerVersion: composerVersion - 1 } });
    const [older] = await customersOf(orgId);
    const kept = { foldState: older!.foldState, checkpoints: older!.checkpoints, behindSince: null };
    await readStory(orgId, byId('a'));
    expect((await customersOf(orgId))[0]).toMatchObject({ composerVersion, previousFold: kept });
    await storeEvents(orgId, eventsAt(orgId, 'a', [80.5]));
    await composeAll();
    const [marked] = await customersOf(orgId);
    const rewound = { foldState: kept.checkpoints![0]!.fold, behindSince: expect.any(Date) };
    expect(marked!.previousFold).toMatchObject({ composerVersion: composerVersion - 1, ...rewound });
    const longAgo = new Date(Date.now() - 2 * 60 * 60_000);
    await CustomerModel.updateMany({ orgId }, { $set: { 'previousFold.behindSince': longAgo } });
    await storeEvents(orgId, eventsAt(orgId, 'a', [101]));
    await composeAll();
    expect((await customersOf(orgId))[0]).not.toHaveProperty('previousFold');
    expect(await findInconsistencies(orgId)).toEqual([]);
  });

  test('of a long history is continued by reads and between them, and the newer one does not change', async () => {
    const orgId = newId('org');
    await storeEvents(orgId, eventsAt(orgId, 'a', range(0, 100)));
    await composeAll();
    await changeVersion(orgId, 1);
    const [newer] = await customersOf(orgId);
    for (let from = 100; from < 3500; from += 500)
      await storeEvents(orgId, eventsAt(orgId, 'a', range(from, from + 500)));
    const composing = { ...newWait(orgId), startedAt: performance.now() - 10_000 };
    await expect(catchUpInTime(composing, newer!._id)).rejects.toMatchObject({ type: 'UNAVAILABLE' });
    await composeAll();
    const [composed] = await customersOf(orgId);
    expect(composed).toMatchObject({ composerVersion: composerVersion + 1, previousFold: { composerVersion } });
    expect(composed).toMatchObject({ foldState: newer!.foldState, checkpoints: newer!.checkpoints });
    expect(composed!.composeAt).not.toBeNull();
    expect(composed!.previousFold!.behindSince).toBeNull();
    expect((await readStory(orgId, byId('a'))).updatedAt).toBe(isoAt(3599));
  });
});

const isStory = (): boolean => true;
const isRefusal = (error: unknown): boolean => {
  if (!isError(error, 'UNAVAILABLE')) throw error;
  return false;
};

describe('a read of a customer with more pending events than it can settle', () => {
  test('is answered 503 with Retry-After, and the next one goes on where it ended', async () => {
    const orgId = newId('org');
    const minutes = range(0, 2000).map((place) => (place * 7919) % 2003);
    for (let from = 0; from < minutes.length; from += 500) {
      await storeEvents(orgId, eventsAt(orgId, 'a', minutes.slice(from, from + 500)));
    }
    const late = () => ({ ...newWait(orgId), startedAt: performance.now() - 10_000 });
    await expect(findSettledCustomer(orgId, byId('a')[0]!, late())).rejects.toMatchObject({
      type: 'UNAVAILABLE',
      data: { headers: { 'Retry-After': '1' } },
    });
    expect(await PendingEventModel.countDocuments({ orgId })).toBe(1500);
    // On a busy machine one more read may not be enough either.
    await until(() => readStory(orgId, byId('a')).then(isStory, isRefusal));
    expect(await PendingEventModel.countDocuments({ orgId })).toBe(0);
    await composeAll();
    expect(await findInconsistencies(orgId)).toEqual([]);
  });

  test('is not held up by the events of others', async () => {
    const orgId = newId('org');
    await storeEvents(orgId, eventsAt(orgId, 'busy', range(0, 500)));
    await storeEvents(orgId, eventsAt(orgId, 'other', [1]));
    expect((await readStory(orgId, byId('other'))).updatedAt).toBe(isoAt(1));
    expect(await PendingEventModel.countDocuments({ orgId })).toBe(500);
  });
});
