import { afterEach, describe, expect, test } from '@jest/globals';
import { day, setClock } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import { settings } from '../../../lib/settings.ts';
import { CustomerModel } from '../../../models/context/customer.ts';
import { EventModel, eventKey } from '../../../models/context/event.ts';
import { IdentifierModel } from '../../../models/context/identifier.ts';
import { sweepRetention } from '../../../services/context/retention.ts';
import { storeEvent } from '../../../services/context/store-events.ts';
import { readStory } from '../../../services/context/stories.ts';
import { ownContextDatabase } from '../../support/context-database.ts';
import { type Event, eventAbout, eventOf } from '../../support/events.ts';
import { composeAll, findInconsistencies } from './consistency.ts';

ownContextDatabase();

const start = new Date('2026-01-01T00:00:00.000Z');
const keptDays = settings.CONTEXT_RETENTION_DAYS;
const stubDays = 30;
let putBack = () => {};
afterEach(() => putBack());

/** Sets the clock to so many days after the start. */
function setDay(count: number): void {
  putBack();
  putBack = setClock(() => new Date(start.getTime() + count * day));
}

/** Stores an event about the person, that happened and was received on that day. */
async function storeOn(count: number, orgId: string, customerId: string, email?: string): Promise<Event> {
  setDay(count);
  const occurredAt = new Date(start.getTime() + count * day).toISOString();
  const event = { ...eventAbout(orgId, customerId, { occurredAt }), payload: email ? { email } : {} };
  expect(await storeEvent(orgId, event)).toBe('accepted');
  return event;
}

async function sweepOn(count: number): Promise<void> {
  setDay(count);
  await sweepRetention();
  await composeAll();
}

const stored = (orgId: string, { eventId }: Event) =>
  EventModel.findOne({ orgId, _id: eventKey(orgId, eventId) }).lean();
const byId = (value: string) => [{ type: 'id' as const, value }];

describe('retention', () => {
  test('takes the content of events out after their time, and tells the story without them', async () => {
    const orgId = newId('org');
    const old = await storeOn(0, orgId, 'a', 'a@example.com');
    const young = await storeOn(10, orgId, 'a');
    await composeAll();

    await sweepOn(keptDays - 1);
    expect(await stored(orgId, old)).toMatchObject({ eventName: 'order.created' });

    await sweepOn(keptDays);
    const stub = await stored(orgId, old);
    expect(Object.keys(stub!).sort()).toEqual(
      [
        '_id',
        'attempts',
        'eventId',
        'identifiers',
        'nextAttemptAt',
        'orgId',
        'pending',
        'receivedAt',
        'stubUntil',
      ].sort(),
    );
    expect(stub).toMatchObject({ identifiers: [], pending: false });
    expect((await readStory(orgId, byId('a'))).updatedAt).toBe(young.occurredAt);
    expect(await EventModel.countDocuments({ orgId, customer: { $ne: null } })).toBe(1);
  });

  test('answers "already sent" for 30 more days, then has forgotten', async () => {
    const orgId = newId('org');
    const event = await storeOn(0, orgId, 'b');
    await composeAll();
    await sweepOn(keptDays);
    expect(await storeEvent(orgId, { ...event, payload: {} })).toBe('repeated');
    await sweepOn(keptDays + stubDays - 1);
    expect(await stored(orgId, event)).not.toBeNull();
    await sweepOn(keptDays + stubDays);
    expect(await stored(orgId, event)).toBeNull();
  });

  test('leaves nothing of a person whose last event is gone', async () => {
    const orgId = newId('org');
    await storeOn(0, orgId, 'c', 'c@example.com');
    await composeAll();
    await sweepOn(keptDays);
    await expect(readStory(orgId, byId('c'))).rejects.toMatchObject({ type: 'STORY_NOT_FOUND' });
    expect(await CustomerModel.countDocuments({ orgId })).toBe(0);
    expect(await IdentifierModel.countDocuments({ orgId })).toBe(0);
  });

  test('takes out events that show in no story, and those that nobody composed', async () => {
    const orgId = newId('org');
    setDay(0);
    const nobody = {
      ...eventOf(orgId, { occurredAt: start.toISOString() }),
      actor: { type: 'system', id: 'x' },
      payload: {},
    };
    await storeEvent(orgId, nobody);
    const uncomposed = await storeOn(0, orgId, 'd', 'd@example.com');
    await sweepOn(keptDays);
    expect(await stored(orgId, nobody)).not.toHaveProperty('actor');
    expect(await stored(orgId, uncomposed)).not.toHaveProperty('payload');
    expect(await CustomerModel.countDocuments({ orgId })).toBe(0);
  });

  test('done twice, or interrupted before the stories are told, comes to the same', async () => {
    const orgId = newId('org');
    await storeOn(0, orgId, 'e', 'e@example.com');
    const young = await storeOn(20, orgId, 'e');
    await composeAll();
    setDay(keptDays);
    await Promise.all([sweepRetention(), sweepRetention()]);
    // A reader is first, before the background work.
    expect((await readStory(orgId, byId('e'))).updatedAt).toBe(young.occurredAt);
    await sweepOn(keptDays + 1);
    expect(await findInconsistencies(orgId)).toEqual([]);
  });
});

describe('an erasure that a crash interrupted', () => {
  test('is completed by the sweep', async () => {
    const orgId = newId('org');
    const event = await storeOn(0, orgId, 'f', 'f@example.com');
    await composeAll();
    await CustomerModel.updateOne({ orgId }, { $set: { erasing: true }, $inc: { revision: 1 } });
    await sweepOn(1);
    expect(await stored(orgId, event)).not.toHaveProperty('payload');
    expect(await CustomerModel.countDocuments({ orgId })).toBe(0);
    expect(await IdentifierModel.countDocuments({ orgId })).toBe(0);
  });

  test('is completed by whoever asks for the person first', async () => {
    const orgId = newId('org');
    await storeOn(0, orgId, 'g', 'g@example.com');
    await composeAll();
    await CustomerModel.updateOne({ orgId }, { $set: { erasing: true }, $inc: { revision: 1 } });
    await expect(readStory(orgId, byId('g'))).rejects.toMatchObject({ type: 'STORY_NOT_FOUND' });
    expect(await EventModel.countDocuments({ orgId, payload: { $ne: null } })).toBe(0);
  });
});
