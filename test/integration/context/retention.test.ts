import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type Context, ServiceBroker } from 'moleculer';
import { recordRetentionChange } from '../../../lib/clients/retention-days.ts';
import { call } from '../../../lib/contract/context.ts';
import { day, setClock } from '../../../lib/data/clock.ts';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { newId } from '../../../lib/data/ids.ts';
import { runJob } from '../../../mixins/cron/cron.ts';
import type { PlanName } from '../../../models/billing/sold-version.ts';
import { CustomerModel } from '../../../models/context/customer.ts';
import { type EventDocument, EventModel, eventKey } from '../../../models/context/event.ts';
import { IdentifierModel } from '../../../models/context/identifier.ts';
import { RetentionModel } from '../../../models/context/retention.ts';
import billing from '../../../services/billing/billing.service.ts';
import { subscriptionEvents } from '../../../services/billing/subscriptions/entitlements.ts';
import { changeSubscription } from '../../../services/billing/subscriptions/subscriptions.ts';
import { tombstoneTtl } from '../../../services/context/erasure.ts';
import { storeEvent } from '../../../services/context/ingest/store-events.ts';
import { retention, sweepRetention } from '../../../services/context/retention.ts';
import { readStory } from '../../../services/context/stories.ts';
import { actionsOf } from '../../support/actions-of.ts';
import { ownContextDatabase } from '../../support/context-database.ts';
import { type Event, eventAbout, eventOf } from '../../support/events.ts';
import { eventually } from '../../support/until.ts';
import { composeAll, findInconsistencies } from './consistency.ts';

ownContextDatabase();

const start = new Date('2026-01-01T00:00:00.000Z');
const stubDays = tombstoneTtl / day;
/** For how long the plans keep events. An organization is on `free` until it gets another. */
const keptDays = 30;
const proDays = 365;
/** How long fewer days wait before they count. */
const graceDays = 30;
const running = new AbortController().signal;
let putBack = () => {};
afterEach(() => putBack());

/** Beside billing's own actions, and organizations that are there unless they were named here. */
const broker = new ServiceBroker({ logger: false, validator: false });
const gone = new Set<string>();

beforeAll(async () => {
  broker.createService({
    name: 'identity',
    actions: {
      'organizations.describe': ({ params: { body } }: Context<{ body: { orgId: string } }>) => ({
        organization: gone.has(body.orgId) ? null : { name: 'Shop', slug: 'shop', isFirst: false },
      }),
      'audit.append': () => undefined,
    },
  });
  broker.createService({
    name: 'billing',
    actions: actionsOf(billing, 'entitlements.', 'subscription', 'usage.read') as never,
    events: { ...subscriptionEvents },
  });
  await broker.start();
});

afterAll(() => broker.stop());

async function give(orgId: string, plan: PlanName): Promise<void> {
  await call(broker, 'billing.subscriptions.give', { body: { orgId, plan } });
}

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
  await sweepRetention(broker, running);
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
      ['_id', 'eventId', 'identifiers', 'orgId', 'receivedAt', 'stubUntil'].sort(),
    );
    expect(stub).toMatchObject({ identifiers: [] });
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
    await Promise.all([sweepRetention(broker, running), sweepRetention(broker, running)]);
    // A reader is first, before the background work.
    expect((await readStory(orgId, byId('e'))).updatedAt).toBe(young.occurredAt);
    await sweepOn(keptDays + 1);
    expect(await findInconsistencies(orgId)).toEqual([]);
  });
});

describe('the plan of an organization', () => {
  const isKept = async (orgId: string, event: Event) => (await stored(orgId, event))?.payload !== undefined;

  /** Expects that fewer days, which are first seen on that day, count when the grace is over. */
  async function expectGrace(orgId: string, event: Event, seenOn: number): Promise<void> {
    await sweepOn(seenOn);
    await sweepOn(seenOn + graceDays - 1);
    expect(await isKept(orgId, event)).toBe(true);
    await sweepOn(seenOn + graceDays);
    expect(await isKept(orgId, event)).toBe(false);
  }

  test('says for how long its events are kept, and nothing of the events of another', async () => {
    const [free, pro, scale] = [newId('org'), newId('org'), newId('org')];
    await give(pro, 'pro');
    await give(scale, 'scale');
    const event = {
      free: await storeOn(0, free, 'a'),
      pro: await storeOn(0, pro, 'a'),
      scale: await storeOn(0, scale, 'a'),
    };
    const areKept = () => Promise.all([isKept(free, event.free), isKept(pro, event.pro), isKept(scale, event.scale)]);
    await sweepOn(29);
    expect(await areKept()).toEqual([true, true, true]);
    await sweepOn(30);
    expect(await areKept()).toEqual([false, true, true]);
    await sweepOn(364);
    expect(await areKept()).toEqual([false, true, true]);
    await sweepOn(365);
    expect(await areKept()).toEqual([false, false, true]);
    await sweepOn(1824);
    expect(await areKept()).toEqual([false, false, true]);
    await sweepOn(1825);
    expect(await areKept()).toEqual([false, false, false]);
  });

  test('takes out nothing for 30 days after it became smaller', async () => {
    const orgId = newId('org');
    await give(orgId, 'pro');
    const event = await storeOn(0, orgId, 'a');
    await sweepOn(100);
    await give(orgId, 'free');
    await expectGrace(orgId, event, 101);
  });

  test('counts at once when it became larger again, and begins the 30 days anew', async () => {
    const orgId = newId('org');
    await give(orgId, 'pro');
    const event = await storeOn(0, orgId, 'a');
    await sweepOn(100);
    await give(orgId, 'free');
    await sweepOn(101);
    await give(orgId, 'pro');
    await sweepOn(102);
    await give(orgId, 'free');
    await expectGrace(orgId, event, 120);
  });

  test('keeps events for longer from the moment it is larger', async () => {
    const orgId = newId('org');
    const event = await storeOn(0, orgId, 'a');
    await sweepOn(29);
    await give(orgId, 'pro');
    await sweepOn(40);
    expect(await isKept(orgId, event)).toBe(true);
    await sweepOn(proDays);
    expect(await isKept(orgId, event)).toBe(false);
  });

  test('takes out nothing of an organization that is gone or whose subscription is closed, but stubs', async () => {
    const [missing, closed] = [newId('org'), newId('org')];
    gone.add(missing);
    const stub = await storeOn(0, closed, 'a');
    await sweepOn(keptDays);
    const events = [await storeOn(keptDays, missing, 'b'), await storeOn(keptDays, closed, 'b')] as const;
    await changeSubscription(broker.ContextFactory.create(broker) as never, closed, () => ({
      kind: 'organizationClosed',
    }));
    await sweepOn(3 * keptDays);
    expect([await isKept(missing, events[0]), await isKept(closed, events[1])]).toEqual([true, true]);
    expect(await stored(closed, stub)).toBeNull();
    expect(await RetentionModel.countDocuments({ orgId: missing })).toBe(0);
  });

  test('that billing does not tell leaves the events alone and holds up no other organization', async () => {
    const [silent, orgId] = [newId('org'), newId('org')].sort() as [string, string];
    const [untold, told] = [await storeOn(0, silent, 'a'), await storeOn(0, orgId, 'a')];
    const asking = {
      call: (name: string, params: { body: { orgId: string } }) =>
        params.body.orgId === silent ? Promise.reject(new Error('Not today.')) : broker.call(name, params),
    } as unknown as Context;
    setDay(keptDays);
    await expect(sweepRetention(asking, running)).rejects.toThrow(`for ${silent} and 0 other organizations`);
    await composeAll();
    expect([await isKept(silent, untold), await isKept(orgId, told)]).toEqual([true, false]);
    await sweepOn(keptDays);
    expect(await isKept(silent, untold)).toBe(false);
  });

  test('noted by many nodes at once is never overwritten by one that saw it before', async () => {
    const orgId = newId('org');
    const noteAll = (days: number[]) =>
      Promise.all(days.map((given) => recordRetentionChange(RetentionModel, orgId, given)));
    expect(await noteAll([30, 30, 30, 30, 30, 30, 30, 30])).toContain(30);
    const noted = (await noteAll([47, 46, 45, 44, 43, 42, 41, 40])).map((days) => days ?? 0);
    expect(await RetentionModel.findOne({ orgId }).lean()).toMatchObject({ days: Math.max(...noted) });
  });

  test('is not asked for when the sweep was told to end', async () => {
    const orgId = newId('org');
    const event = await storeOn(0, orgId, 'a');
    setDay(keptDays);
    await sweepRetention(broker, AbortSignal.abort());
    await composeAll();
    expect(await isKept(orgId, event)).toBe(true);
  });

  test('is followed by the hourly work of the service, for all of many events', async () => {
    const orgId = newId('org');
    const { eventId } = await storeOn(0, orgId, 'a');
    await composeAll();
    const { _id, customer, ...event } = (await EventModel.findOne({ orgId, eventId }).lean())!;
    const copies = Array.from({ length: 1200 }, (_one, place) => ({ ...event, _id: `${orgId}:copy-${place}` }));
    await nativeCollection<EventDocument>(EventModel).insertMany(copies as EventDocument[]);
    setDay(keptDays);
    const service = broker.createService({ name: 'context', mixins: [retention()] });
    await broker.waitForServices('context');
    await runJob(broker, 'context.retention');
    // The schedule may run it too, and then does the part of this organization: let it end.
    await eventually(async () => {
      await composeAll();
      expect(await EventModel.countDocuments({ orgId, stubUntil: { $ne: null } })).toBe(1201);
    });
    await broker.destroyService(service);
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
