import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ServiceBroker } from 'moleculer';
import { day, fromNow, minute, now, setClock } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';
import type { CustomerErasureDocument } from '../../../models/context/customer-erasure.ts';
import { ownContextDatabase } from '../../support/context-database.ts';
import { type Event, eventAbout, eventOf } from '../../support/events.ts';
import { propertyCases, propertyTimeout } from '../../support/property-cases.ts';
import { sweepOf } from '../../support/quiet-logger.ts';

const folder = mkdtempSync(join(tmpdir(), 'erasures-'));
process.env.DATA_DIR = folder;
const { ErasureRecordModel, openIdentifiers, recordErasure, sweepErasureRecords } = await import(
  '../../../lib/data/erasure-records.ts'
);
const { CustomerErasureModel } = await import('../../../models/context/customer-erasure.ts');
const erasures = await import('../../../services/context/customer-erasures.ts');
const { beginMerge, runMerge } = await import('../../../services/context/customer-merges.ts');
const { storeEvent } = await import('../../../services/context/ingest/store-events.ts');
const { findOne, findSettledCustomer, readStory } = await import('../../../services/context/stories.ts');
const { composeAll, findInconsistencies } = await import('./consistency.ts');

ownContextDatabase();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Another service with data of customers: what it was asked to erase, and whether it can. */
const keeper = { asked: [] as string[], isAbsent: false, hasData: false };
let broker: ServiceBroker;

beforeAll(async () => {
  broker = new ServiceBroker({ logger: false });
  broker.createService({
    name: 'keeper',
    metadata: { erasesCustomers: 'customers.erase' },
    actions: {
      'customers.erase': ({ params }) => {
        if (keeper.isAbsent) throw new Error('It is absent.');
        keeper.asked.push(...params.body.identifiers);
        return { isComplete: true, erased: keeper.hasData };
      },
    },
  });
  await broker.start();
});
afterAll(() => broker.stop());

let restoreClock = (): void => undefined;
beforeEach(() => {
  Object.assign(keeper, { asked: [], isAbsent: false, hasData: false });
});
afterEach(() => restoreClock());

/** Lets so many milliseconds pass. */
function pass(milliseconds: number): void {
  restoreClock();
  restoreClock = setClock(() => new Date(Date.now() + milliseconds));
}

const sweep = () => erasures.sweepCustomerErasures(broker, sweepOf('context.erasures'));

const ada = { type: 'id', value: 'ada' } as const;
const email = 'ada@example.com';

async function tell(orgId: string, changes: Partial<Event> = {}): Promise<void> {
  await storeEvent(orgId, { ...eventAbout(orgId, ada.value, { payload: { email } }), ...changes });
}

const hasStory = async (orgId: string): Promise<boolean> =>
  (await findSettledCustomer(orgId, ada)) !== null && (await readStory(orgId, [ada])).customerId === ada.value;

async function beginFor(orgId: string): Promise<CustomerErasureDocument> {
  return await erasures.beginErasure(orgId, await findOne(orgId, [ada]));
}

/** The identifiers in the records of an organization's erasures. */
async function recorded(orgId: string): Promise<string[][]> {
  const records = await ErasureRecordModel.find({ orgId }).lean();
  return records.map(({ identifiers }) => openIdentifiers(identifiers!).sort());
}

const keys = ['email:ada@example.com', 'id:ada'];
const workOf = (orgId: string) => CustomerErasureModel.countDocuments({ orgId });

describe('the erasure of a customer', () => {
  test('that a crash cut off before the story was erased is completed by the sweep, and recorded', async () => {
    const orgId = newId('org');
    await tell(orgId);
    await beginFor(orgId);
    expect(await hasStory(orgId)).toBe(true);
    pass(2 * minute);
    await sweep();
    expect(await hasStory(orgId)).toBe(false);
    expect(await recorded(orgId)).toEqual([keys]);
    expect(keeper.asked.sort()).toEqual(keys);
    expect(await workOf(orgId)).toBe(0);
  });

  test('does not reach who has come back while a service was absent', async () => {
    const orgId = newId('org');
    await tell(orgId);
    keeper.isAbsent = true;
    await erasures.runErasure({ broker }, await beginFor(orgId));
    expect(await hasStory(orgId)).toBe(false);
    await tell(orgId);
    pass(2 * minute);
    await sweep();
    expect(await workOf(orgId)).toBe(1);
    keeper.isAbsent = false;
    pass(4 * minute);
    await sweep();
    expect(await workOf(orgId)).toBe(0);
    expect(await hasStory(orgId)).toBe(true);
    expect(await recorded(orgId)).toEqual([keys]);
  });

  test('who was merged into another since it began erases the whole person', async () => {
    const orgId = newId('org');
    const older = { type: 'id', value: 'older' } as const;
    await storeEvent(orgId, eventAbout(orgId, older.value));
    await findOne(orgId, [older]);
    await tell(orgId);
    const erasure = await beginFor(orgId);
    await storeEvent(orgId, eventAbout(orgId, older.value, { payload: { email } }));
    expect(await findOne(orgId, [older])).not.toBe(erasure.customers?.[0]);
    await erasures.runErasure({ broker }, erasure);
    expect(await findSettledCustomer(orgId, older)).toBeNull();
    expect(await hasStory(orgId)).toBe(false);
    expect([...new Set((await recorded(orgId)).flat())].sort()).toEqual([...keys, 'id:older']);
    expect([...new Set(keeper.asked)].sort()).toEqual([...keys, 'id:older']);
    expect(await workOf(orgId)).toBe(0);
  });

  test('into whom another was merged since it began erases the whole person', async () => {
    const orgId = newId('org');
    await tell(orgId);
    const erasure = await beginFor(orgId);
    await storeEvent(orgId, eventAbout(orgId, 'younger', { payload: { phone: '+491701234567' } }));
    await findOne(orgId, [{ type: 'id', value: 'younger' }]);
    await runMerge(await beginMerge(orgId, [ada.value, 'younger']));
    await erasures.runErasure({ broker }, erasure);
    expect(await findSettledCustomer(orgId, { type: 'id', value: 'younger' })).toBeNull();
    const all = [...keys, 'id:younger', 'phone:+491701234567'];
    expect(await recorded(orgId)).toEqual([all]);
    expect(keeper.asked.sort()).toEqual(all);
    expect(await workOf(orgId)).toBe(0);
  });

  test('whom only other services know is recorded, unless none knows them, or one cannot be asked', async () => {
    const orgId = newId('org');
    expect(await erasures.eraseElsewhere({ broker }, orgId, keys)).toBe(false);
    keeper.isAbsent = true;
    await expect(erasures.eraseElsewhere({ broker }, orgId, keys)).rejects.toThrow('absent');
    expect([await recorded(orgId), await workOf(orgId)]).toEqual([[], 0]);
    Object.assign(keeper, { isAbsent: false, hasData: true });
    expect(await erasures.eraseElsewhere({ broker }, orgId, keys)).toBe(true);
    expect([await recorded(orgId), await workOf(orgId)]).toEqual([[keys], 0]);
  });

  test('that an earlier version began, without customers and a time, is completed', async () => {
    const orgId = newId('org');
    const former = { _id: newId('req'), orgId, identifiers: keys, done: [], dueAt: now() };
    await CustomerErasureModel.collection.insertOne(former as never);
    await sweep();
    expect([await recorded(orgId), await workOf(orgId), keeper.asked]).toEqual([[keys], 0, keys]);
  });
});

describe('an erasure that is repeated after a restore', () => {
  const repeat = (orgId: string, identifiers = keys, _id = newId('req')) =>
    erasures.repeatErasure({ _id, orgId, identifiers, erasedAt: now() });

  test('erases the story at once, also what is not composed, and what other services have when the sweep runs', async () => {
    const orgId = newId('org');
    await tell(orgId);
    await findOne(orgId, [ada]);
    await tell(orgId, { payload: { phone: '+491701234567' } });
    await repeat(orgId);
    expect(await hasStory(orgId)).toBe(false);
    // Who comes back before the sweep keeps the new story.
    await tell(orgId);
    await sweep();
    expect(keeper.asked.sort()).toEqual([...keys, 'phone:+491701234567']);
    expect(await hasStory(orgId)).toBe(true);
    expect(await workOf(orgId)).toBe(0);
  });

  test('that was cut off before the story was erased is completed by the sweep', async () => {
    const orgId = newId('org');
    await tell(orgId);
    const customer = await findOne(orgId, [ada]);
    const work = { _id: newId('req'), orgId, customers: [customer], identifiers: keys, done: [], dueAt: now() };
    await CustomerErasureModel.collection.insertOne({ ...work, erasedAt: now() } as never);
    await sweep();
    expect(await hasStory(orgId)).toBe(false);
  });

  test('may be repeated, and needs nobody there', async () => {
    const orgId = newId('org');
    const _id = newId('req');
    for (let round = 0; round < 2; round += 1) await repeat(orgId, [...keys, 'no identifier'], _id);
    expect(await workOf(orgId)).toBe(1);
    await sweep();
    expect(await workOf(orgId)).toBe(0);
  });

  test(
    'erases whoever any of its identifiers leads to, and nobody else',
    async () => {
      const pool = [0, 1, 2, 3, 4, 5];
      const named = fc.uniqueArray(fc.constantFrom(...pool), { minLength: 1, maxLength: 2 });
      await fc.assert(
        fc.asyncProperty(
          fc.array(named, { minLength: 1, maxLength: 6 }),
          fc.subarray(pool, { minLength: 1, maxLength: 2 }),
          fc.boolean(),
          async (people, erased, isComposed) => {
            const orgId = newId('org');
            const addressOf = (number: number) => `person-${number}@example.com`;
            for (const [first, second = first] of people) {
              const payload = { email: addressOf(first!), customer: { email: addressOf(second!) } };
              await storeEvent(orgId, eventOf(orgId, { actor: { type: 'system', id: 'shop' }, payload }));
            }
            if (isComposed) await composeAll();
            // All that events connect, directly or through others, is one person.
            const gone = new Set(erased);
            for (const _round of people) {
              for (const numbers of people)
                if (numbers.some((one) => gone.has(one))) numbers.map((one) => gone.add(one));
            }
            await repeat(
              orgId,
              erased.map((number) => `email:${addressOf(number)}`),
            );
            for (const number of new Set(people.flat())) {
              const found = await findSettledCustomer(orgId, { type: 'email', value: addressOf(number) });
              expect({ number, isGone: found === null }).toEqual({ number, isGone: gone.has(number) });
            }
            await composeAll();
            expect(await findInconsistencies(orgId)).toEqual([]);
          },
        ),
        { numRuns: propertyCases(8, 500), endOnFailure: true },
      );
    },
    propertyTimeout,
  );
});

test('records of erasures are kept for ERASURES_KEPT_DAYS, the first of an erasure alone', async () => {
  const orgId = newId('org');
  const record = (_id: string, days: number) =>
    recordErasure({ _id, kind: 'customer', orgId, identifiers: null, erasedAt: fromNow(-days * day) });
  for (const days of [0, 399, 401, 800]) await record(`${orgId}-${days}`, days);
  await record(`${orgId}-399`, 800);
  expect(await sweepErasureRecords()).toBe(2);
  const left = await ErasureRecordModel.find({ orgId }, { _id: 1 }).sort({ _id: 1 }).lean();
  expect(left.map(({ _id }) => _id)).toEqual([`${orgId}-0`, `${orgId}-399`]);
});
