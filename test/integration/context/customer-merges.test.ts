import { afterEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { minute, setClock } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';
import { CustomerModel } from '../../../models/context/customer.ts';
import { CustomerMergeModel } from '../../../models/context/customer-merge.ts';
import { EventModel } from '../../../models/context/event.ts';
import { IdentifierModel } from '../../../models/context/identifier.ts';
import { beginMerge, idAfterMerge, runMerge, sweepMerges } from '../../../services/context/customer-merges.ts';
import { joinCustomers } from '../../../services/context/customers.ts';
import { eraseCustomer } from '../../../services/context/erasure.ts';
import { storeEvent } from '../../../services/context/ingest/store-events.ts';
import { findOne, findSettledCustomer, readStory } from '../../../services/context/stories.ts';
import { ownContextDatabase } from '../../support/context-database.ts';
import { type Event, eventAbout, eventOf } from '../../support/events.ts';
import { type Crash, Ended, newLife, spyOnWrites } from '../../support/mortal-collection.ts';
import { propertyCases, propertyTimeout } from '../../support/property-cases.ts';
import { sweepOf } from '../../support/quiet-logger.ts';
import { composeAll, findInconsistencies } from './consistency.ts';

ownContextDatabase();

let restoreClock = (): void => undefined;
afterEach(() => restoreClock());

const idOf = (value: string) => ({ type: 'id' as const, value });
const read = (orgId: string, id: string) => readStory(orgId, [idOf(id)]);
const workOf = (orgId: string) => CustomerMergeModel.countDocuments({ orgId });
const sweep = () => sweepMerges({} as never, sweepOf('context.merges'));

async function merge(orgId: string, one: string, other: string): Promise<void> {
  await runMerge(await beginMerge(orgId, [one, other]));
}

/** Lets the time pass after which the sweep takes over. */
function pass(): void {
  restoreClock = setClock(() => new Date(Date.now() + 2 * minute));
}

/** What happened to a person. Few instants, so that ties happen; an event may have no id, or not the person's first. */
const happening = fc.record({
  who: fc.nat({ max: 3 }),
  hour: fc.nat({ max: 5 }),
  eventName: fc.constantFrom('order.created', 'order.shipped', 'payment.succeeded', 'ticket.opened', 'page.viewed'),
  hasId: fc.boolean(),
});
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

const contactOf = (who: number) => `person-${who}@example.com`;

/** The event of a happening, about the person's own id or about one that all have. */
function eventFor(orgId: string, { who, hour, eventName, hasId }: Happening, number: number, oneId?: string): Event {
  const customerId = oneId ?? (hasId ? `C-${who}` : undefined);
  return eventOf(orgId, {
    eventId: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    eventName,
    occurredAt: new Date(Date.UTC(2026, 2, 1, hour)).toISOString(),
    actor: { type: 'system', id: 'shop' },
    payload: { orderId: `A-${number % 3}`, total: 10, currency: 'EUR', email: contactOf(who), customerId },
  });
}

/** The id by which each person can be read, one after the other. */
async function idsOf(orgId: string, people: number[]): Promise<string[]> {
  const ids: string[] = [];
  for (const who of people) ids.push((await readStory(orgId, [{ type: 'email', value: contactOf(who) }])).customerId);
  return ids;
}

describe('a merge of two customers', () => {
  test(
    'in any order gives the story of events that had one id from the beginning, under the predicted id',
    async () => {
      const merges = fc.array(fc.tuple(fc.nat(), fc.boolean()), { minLength: 3, maxLength: 3 });
      await fc.assert(
        fc.asyncProperty(
          fc.array(happening, { minLength: 2, maxLength: 12 }),
          merges,
          fc.boolean(),
          async (happenings, choices, isComposed) => {
            const [orgId, single] = [newId('org'), newId('org')];
            for (const [number, one] of happenings.entries()) {
              await storeEvent(orgId, eventFor(orgId, one, number));
              await storeEvent(single, eventFor(single, one, number, 'C-0'));
            }
            if (isComposed) await composeAll();
            let ids = await idsOf(orgId, [...new Set(happenings.map(({ who }) => who))]);
            const all = ids;
            for (const [choice, isTurned] of choices.slice(0, ids.length - 1)) {
              const [one, ...others] = isTurned ? ids.toReversed() : ids;
              const other = others[choice % others.length]!;
              const predicted = await idAfterMerge(orgId, [one!, other]);
              await merge(orgId, one!, other);
              expect((await read(orgId, other)).customerId).toBe(predicted);
              ids = [predicted, ...ids.filter((id) => id !== one && id !== other)];
            }
            const { customerId: _id, ...expected } = await read(single, 'C-0');
            for (const id of all) {
              expect(await read(orgId, id)).toEqual({ customerId: ids[0], ...expected });
            }
            await composeAll();
            expect(await findInconsistencies(orgId)).toEqual([]);
            expect(await workOf(orgId)).toBe(0);
          },
        ),
        { numRuns: propertyCases(10, 500), endOnFailure: true },
      );
    },
    propertyTimeout,
  );

  test('keeps the older customer, whichever is named first', async () => {
    for (const isTurned of [false, true]) {
      const orgId = newId('org');
      for (const id of ['older', 'younger']) {
        await storeEvent(orgId, eventAbout(orgId, id));
        await composeAll();
      }
      const [older, younger] = [await findOne(orgId, [idOf('older')]), await findOne(orgId, [idOf('younger')])];
      await merge(orgId, ...((isTurned ? ['younger', 'older'] : ['older', 'younger']) as [string, string]));
      expect(await findOne(orgId, [idOf('younger')])).toBe(older);
      expect(await CustomerModel.findOne({ orgId, _id: younger }).lean()).toMatchObject({ mergedInto: older });
    }
  });

  test('that a crash ends at any write is completed by the sweep', async () => {
    const ends: string[] = [];
    for (let at = 1, isOver = false; !isOver; at += 1) {
      for (const isAfter of [false, true]) {
        const orgId = newId('org');
        for (const id of ['one', 'one', 'two', 'two']) await storeEvent(orgId, eventAbout(orgId, id));
        await composeAll();
        const end = await mergeUntil(orgId, { at, isAfter });
        isOver = end === 'completed';
        ends.push(end);
        pass();
        await sweep();
        await composeAll();
        restoreClock();
        expect({ at, isAfter, problems: await findInconsistencies(orgId) }).toEqual({ at, isAfter, problems: [] });
        const isMerged = at > 1 || isAfter;
        expect((await findOne(orgId, [idOf('one')])) === (await findOne(orgId, [idOf('two')]))).toBe(isMerged);
        expect(await workOf(orgId)).toBe(0);
      }
    }
    // The work, the mark, customers merged before, events, the survivor's fold, identifiers, the work.
    expect(ends.filter((end) => end === 'ended').length).toBe(14);
  });

  /** Runs a merge in a process that ends at a write. */
  async function mergeUntil(orgId: string, crash: Crash): Promise<'completed' | 'ended'> {
    const life = newLife(crash);
    const restore = spyOnWrites([CustomerModel, EventModel, IdentifierModel, CustomerMergeModel], life);
    try {
      await merge(orgId, 'one', 'two');
      return 'completed';
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
      return 'ended';
    } finally {
      restore();
    }
  }

  test('does not bring back who was erased before it ran, and leaves the other as they are', async () => {
    const orgId = newId('org');
    for (const id of ['gone', 'kept']) await storeEvent(orgId, eventAbout(orgId, id));
    const work = await beginMerge(orgId, ['gone', 'kept']);
    const before = await read(orgId, 'kept');
    await eraseCustomer(orgId, await findOne(orgId, [idOf('gone')]));
    expect(await workOf(orgId)).toBe(0);
    await runMerge(work);
    expect(await joinCustomers(orgId, ['id:gone', 'id:kept'])).toBeNull();
    expect(await findSettledCustomer(orgId, idOf('gone'))).toBeNull();
    expect(await IdentifierModel.countDocuments({ orgId, key: 'id:gone' })).toBe(0);
    expect(await read(orgId, 'kept')).toEqual(before);
    await composeAll();
    expect(await findInconsistencies(orgId)).toEqual([]);
  });
});
