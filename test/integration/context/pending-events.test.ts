import { afterEach, describe, expect, test } from '@jest/globals';
import { hour, minute, setClock } from '../../../lib/data/clock.ts';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { newId } from '../../../lib/data/ids.ts';
import { indexNames } from '../../../mixins/mongo-indexes.ts';
import { type CustomerDocument, CustomerModel } from '../../../models/context/customer.ts';
import { type EventDocument, EventModel, eventKey } from '../../../models/context/event.ts';
import { IdentifierModel } from '../../../models/context/identifier.ts';
import { PendingEventModel } from '../../../models/context/pending-event.ts';
import { processDueBatches, startComposer } from '../../../services/context/compose/composer.ts';
import { eraseCustomer } from '../../../services/context/erasure.ts';
import { sinceInserts } from '../../../services/context/ingest/insert-events.ts';
import { insertPending, leasePending, newPendingEvent } from '../../../services/context/ingest/pending-events.ts';
import { storeEvent, storeEvents } from '../../../services/context/ingest/store-events.ts';
import { listFormerCustomers, migrateFolds, startListing } from '../../../services/context/migrate.ts';
import { findOne, readStory } from '../../../services/context/stories.ts';
import { composerVersion } from '../../../services/context/story/state.ts';
import { ownContextDatabase } from '../../support/context-database.ts';
import { eventAbout, eventOf } from '../../support/events.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { until } from '../../support/until.ts';
import { composeAll, findInconsistencies } from './consistency.ts';

ownContextDatabase();

let putBack = () => {};
afterEach(() => putBack());

const setForward = (milliseconds: number) => {
  putBack();
  putBack = setClock(() => new Date(Date.now() + milliseconds));
};
const byId = (value: string) => [{ type: 'id' as const, value }];
const pendingOf = (orgId: string) => PendingEventModel.find({ orgId }).lean();
const receivedNow = (orgId: string, identifiers: string[]) =>
  newPendingEvent({ _id: `${orgId}:missing`, orgId, identifiers, receivedAt: new Date() });

describe('the work item of an event', () => {
  test('exists until the story holds the event, and not for an event that is in no story', async () => {
    const orgId = newId('org');
    const event = eventAbout(orgId, 'a');
    await storeEvent(orgId, event);
    await storeEvent(orgId, { ...eventOf(orgId), actor: { type: 'system', id: 'x' }, payload: {} });
    expect((await pendingOf(orgId)).map((item) => item.event)).toEqual([eventKey(orgId, event.eventId)]);
    await composeAll();
    expect(await pendingOf(orgId)).toEqual([]);
  });

  test('is there once for all repetitions, and not for those of an event that is in its story', async () => {
    const orgId = newId('org');
    const event = eventAbout(orgId, 'a');
    await Promise.all(Array.from({ length: 5 }, () => storeEvent(orgId, event)));
    expect((await pendingOf(orgId)).length).toBeLessThanOrEqual(2);
    await composeAll();
    expect(await storeEvent(orgId, event)).toBe('repeated');
    expect(await pendingOf(orgId)).toEqual([]);
    expect(await findInconsistencies(orgId)).toEqual([]);
  });

  test.each([
    { sender: 'a client that repeats the event', operation: undefined, outcome: 'repeated' },
    { sender: 'a retry of the operation', operation: 'operation-1', outcome: 'accepted' },
    { sender: 'a client with other content', operation: undefined, outcome: 'conflicting', eventName: 'order.paid' },
  ])('that a crash kept from being stored is stored for $sender', async ({ operation, outcome, ...changes }) => {
    const orgId = newId('org');
    const event = eventAbout(orgId, 'a');
    await storeEvent(orgId, event, { operation });
    await PendingEventModel.deleteMany({ orgId });
    expect(await storeEvent(orgId, { ...event, ...changes }, { operation })).toBe(outcome);
    expect((await readStory(orgId, byId('a'))).customerId).toBe('a');
    await composeAll();
    expect(await findInconsistencies(orgId)).toEqual([]);
  });

  test('without its event waits an hour for it, holds up no read, and is then removed', async () => {
    const orgId = newId('org');
    const orphan = receivedNow(orgId, ['id:a']);
    await insertPending([orphan]);
    await storeEvent(orgId, eventAbout(orgId, 'a'));
    expect((await readStory(orgId, byId('a'))).customerId).toBe('a');
    for (const wait of [minute, 30 * minute]) {
      setForward(wait);
      await composeAll();
      expect((await pendingOf(orgId)).map(({ _id }) => _id)).toEqual([orphan._id]);
    }
    setForward(2 * hour);
    await composeAll();
    expect(await pendingOf(orgId)).toEqual([]);
  });

  test('that a worker leased and left is done by a read at once, and by another worker after the lease', async () => {
    const [read, composed] = [newId('org'), newId('org')];
    for (const orgId of [read, composed]) {
      await storeEvent(orgId, eventAbout(orgId, 'a'));
      const items = await pendingOf(orgId);
      expect(await leasePending(items, 'dead', minute)).toEqual(items);
      expect(await leasePending(items, 'other', minute)).toEqual([]);
    }
    expect((await readStory(read, byId('a'))).customerId).toBe('a');
    expect(await processDueBatches(quietLogger)).toBe(false);
    setForward(2 * minute);
    await composeAll();
    expect(await findInconsistencies(composed)).toEqual([]);
  });
});

describe('the events of a batch', () => {
  const customersOf = async (orgId: string, events: { eventId: string }[]) => {
    const stored = await EventModel.find({ orgId }, { customer: 1 }).lean();
    const customerOf = new Map(stored.map(({ _id, customer }) => [_id, customer]));
    return events.map(({ eventId }) => customerOf.get(eventKey(orgId, eventId)));
  };

  test('are stored with their customer when many of them name one who is known', async () => {
    const orgId = newId('org');
    const many = (name: string, payload = {}) =>
      Array.from({ length: 100 }, () => ({ ...eventAbout(orgId, name), payload }));
    const emailOf = (name: string) => ({ email: `${name}@example.com` });
    await storeEvents(orgId, [{ ...eventAbout(orgId, 'a'), payload: emailOf('a') }, eventAbout(orgId, 'b')]);
    await composeAll();
    const known = [...many('a', emailOf('a')), ...many('b')];
    const open = [...many('new'), ...many('b', emailOf('new')), ...many('b', emailOf('a')), eventAbout(orgId, 'a')];
    await storeEvents(orgId, [...known, ...open]);
    const pointers = await IdentifierModel.find({ orgId }).lean();
    const named = (key: string) => pointers.find((pointer) => pointer.key === key)?.customer;
    const expected = [...Array(100).fill(named('id:a')), ...Array(100).fill(named('id:b'))];
    expect(await customersOf(orgId, known)).toEqual(expected);
    expect(await customersOf(orgId, open)).toEqual(open.map(() => undefined));
    expect(await pendingOf(orgId)).toHaveLength(known.length + open.length);
    await composeAll();
    expect(await pendingOf(orgId)).toEqual([]);
    expect(await findInconsistencies(orgId)).toEqual([]);
  });

  test('get into their customer of today when that was merged or erased while they were stored', async () => {
    const orgId = newId('org');
    const email = { payload: { email: 'a@example.com' } };
    await storeEvents(orgId, [eventAbout(orgId, 'a'), { ...eventAbout(orgId, 'b'), ...email }]);
    await composeAll();
    const [a, b] = await Promise.all([findOne(orgId, byId('a')), findOne(orgId, byId('b'))]);
    await storeEvent(orgId, { ...eventAbout(orgId, 'a'), ...email });
    await composeAll();
    const storeLate = async (name: string, customer: string) => {
      const event = eventAbout(orgId, name);
      await storeEvent(orgId, event);
      await EventModel.updateOne({ orgId, _id: eventKey(orgId, event.eventId) }, { $set: { customer } });
    };
    await storeLate('a', a);
    await storeLate('b', b);
    await composeAll();
    expect(await findInconsistencies(orgId)).toEqual([]);
    expect(await CustomerModel.countDocuments({ orgId, mergedInto: null })).toBe(1);

    const erased = await findOne(orgId, byId('a'));
    expect(await eraseCustomer(orgId, erased)).toBe(true);
    await storeLate('a', erased);
    await storeLate('b', a);
    await composeAll();
    expect(await findInconsistencies(orgId)).toEqual([]);
    expect(await CustomerModel.countDocuments({ orgId, mergedInto: null })).toBe(2);
  });

  test('leave no work behind where they repeat others, or their quota was released', async () => {
    const orgId = newId('org');
    const many = () => Array.from({ length: 100 }, () => eventAbout(orgId, 'a'));
    const events = many();
    await storeEvents(orgId, events);
    await composeAll();
    expect(await storeEvents(orgId, events)).toEqual(events.map(() => 'repeated'));
    const quotaBatch = { key: 'batch', receivedAt: new Date(), isHeld: () => false };
    const released = storeEvents(orgId, many(), { quotaBatch });
    await expect(released).rejects.toMatchObject({ type: 'UNAVAILABLE' });
    expect(await pendingOf(orgId)).toEqual([]);
    expect(await EventModel.countDocuments({ orgId })).toBe(100);
  });
});

describe('the composer', () => {
  test('composes the events that are pending while others are sent without a pause', async () => {
    const orgId = newId('org');
    for (let number = 0; number < 100; number += 1) await storeEvent(orgId, eventAbout(orgId, `waiting-${number}`));
    let isOver = false;
    const send = async (customer: string) => {
      while (!isOver) await storeEvent(orgId, eventAbout(orgId, customer));
    };
    const senders = ['b', 'c', 'd', 'e'].map(send);
    const composer = startComposer(quietLogger, () => false);
    try {
      const waiting = { orgId, identifiers: /^id:waiting-/ };
      await until(async () => (await PendingEventModel.countDocuments(waiting)) === 0);
    } finally {
      isOver = true;
      await Promise.all(senders);
      await composer.stop();
    }
    await composeAll();
    expect(await findInconsistencies(orgId)).toEqual([]);
  });

  test('settles the oldest event beside a customer who has more than a part takes', async () => {
    const orgId = newId('org');
    await storeEvent(orgId, eventAbout(orgId, 'z'));
    await Promise.all(Array.from({ length: 2400 }, () => storeEvent(orgId, eventAbout(orgId, 'a'))));
    // Rounds are small for a while after an insert.
    await until(() => sinceInserts() > 300);
    expect(await processDueBatches(quietLogger)).toBe(true);
    expect(await PendingEventModel.countDocuments({ orgId, identifiers: 'id:z' })).toBe(0);
    expect(await PendingEventModel.countDocuments({ orgId })).toBeGreaterThan(0);
    await composeAll();
    expect(await findInconsistencies(orgId)).toEqual([]);
  });
});

describe('a database whose events were their own work items', () => {
  const former = { pending: true, attempts: 0, nextAttemptAt: new Date(), leaseOwner: null, leaseUntil: null };

  test('is carried over once: pending and expired events get into or out of their stories, and its indexes go', async () => {
    const orgId = newId('org');
    const collection = nativeCollection<EventDocument>(EventModel);
    const [expired, kept] = [eventAbout(orgId, 'c'), eventAbout(orgId, 'c')];
    for (const event of [expired, kept]) await storeEvent(orgId, event);
    await composeAll();
    for (const customer of ['a', 'b', 'b']) await storeEvent(orgId, eventAbout(orgId, customer));
    await PendingEventModel.deleteMany({ orgId });
    await collection.updateMany({ orgId, customer: null }, { $set: former });
    await collection.updateOne({ _id: eventKey(orgId, expired.eventId) }, { $set: { ...former, expired: true } });
    await CustomerModel.collection.updateMany({ orgId }, { $set: { rebuild: true, story: null } });
    await collection.createIndex({ pending: 1, nextAttemptAt: 1 });
    await collection.createIndex({ orgId: 1, identifiers: 1, pending: 1 });
    await collection.createIndex({ orgId: 1, customer: 1, occurredAt: 1, eventId: 1 });
    await composeAll();
    expect(await CustomerModel.countDocuments({ orgId })).toBe(1);

    await Promise.all([migrateFolds(), migrateFolds()]);
    await migrateFolds();
    await composeAll();
    expect(await findInconsistencies(orgId)).toEqual([]);
    expect(await CustomerModel.countDocuments({ orgId })).toBe(3);
    expect((await readStory(orgId, byId('c'))).updatedAt).toBe(kept.occurredAt);
    expect(await EventModel.exists({ orgId, _id: eventKey(orgId, expired.eventId), stubUntil: null })).toBeNull();
    const names = (await collection.indexes()).map(({ name }) => name);
    expect(names).toEqual(['_id_', 'story_order_tiebreaker', 'orgId_1_stubUntil_1_receivedAt_1']);
  });

  test('is not one whose collection of events is still to be created', async () => {
    await EventModel.collection.drop();
    try {
      await expect(migrateFolds()).resolves.toBeUndefined();
    } finally {
      await EventModel.createIndexes();
    }
  });
});

describe('a database from before the list of customers', () => {
  const former = { orgId: 1, mergedInto: 1 } as const;

  test('gets its customers into the list once, and folds those of an older composer again', async () => {
    const orgId = newId('org');
    const customers = nativeCollection<CustomerDocument>(CustomerModel);
    const listings = async () => {
      const found = await CustomerModel.find({ orgId }, { listing: 1 }).sort({ _id: 1 }).lean();
      return found.map(({ listing }) => listing);
    };
    for (const id of ['a', 'b', 'c'])
      await storeEvent(orgId, eventAbout(orgId, id, { payload: { name: `Name ${id}` } }));
    await storeEvent(orgId, eventAbout(orgId, 'd', { payload: { email: 'd@example.com' } }));
    await storeEvent(orgId, eventAbout(orgId, 'c', { payload: { email: 'd@example.com' } }));
    await composeAll();
    const before = await listings();
    await customers.updateMany({ orgId }, { $unset: { listing: '' } });
    await customers.updateOne({ orgId }, { $set: { composerVersion: composerVersion - 1 } });
    await customers.createIndex(former);

    await Promise.all([startListing(quietLogger).stop(), startListing(quietLogger).stop()]);
    await until(async () => {
      // A stop may come before the end, as at the end of a process.
      await listFormerCustomers(new AbortController().signal);
      return !(await indexNames(customers)).includes('orgId_1_mergedInto_1');
    });
    await composeAll();
    expect(await findInconsistencies(orgId)).toEqual([]);
    expect(await listings()).toEqual(before);
  });
});
