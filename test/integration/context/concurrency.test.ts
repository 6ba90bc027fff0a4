import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isError } from '../../../lib/contract/errors.ts';
import { newId } from '../../../lib/data/ids.ts';
import { processDueBatches } from '../../../services/context/compose/composer.ts';
import { beginMerge, runMerge } from '../../../services/context/customer-merges.ts';
import { eraseCustomer } from '../../../services/context/erasure.ts';
import { storeEvent, storeEvents } from '../../../services/context/ingest/store-events.ts';
import { findOne, readStory } from '../../../services/context/stories.ts';
import { ownContextDatabase } from '../../support/context-database.ts';
import { eventAbout } from '../../support/events.ts';
import { propertyCases, propertyTimeout } from '../../support/property-cases.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { composeAll, findInconsistencies } from './consistency.ts';

ownContextDatabase();

/** Few people and few addresses, so that events join people again and again. */
const ids = ['a', 'b', 'c'];
const emails = ['x@example.com', 'y@example.com', 'z@example.com'];

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('event' as const),
      id: fc.constantFrom(...ids),
      email: fc.option(fc.constantFrom(...emails), { nil: undefined }),
      minutesAgo: fc.integer({ min: 1, max: 50 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('batch' as const),
      id: fc.constantFrom(...ids),
      count: fc.constantFrom(1, 100),
      email: fc.constantFrom(...emails),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('read' as const), id: fc.constantFrom(...ids) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('erase' as const), id: fc.constantFrom(...ids) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('merge' as const),
      id: fc.constantFrom(...ids),
      other: fc.constantFrom(...ids),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('compose' as const), id: fc.constant('') }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function take(orgId: string, item: Step): Promise<void> {
  const byId = [{ type: 'id' as const, value: item.id }];
  if (item.kind === 'event') {
    const occurredAt = new Date(Date.now() - item.minutesAgo * 60_000).toISOString();
    const payload = item.email ? { email: item.email } : {};
    await storeEvent(orgId, { ...eventAbout(orgId, item.id, { occurredAt }), payload });
  }
  if (item.kind === 'batch') {
    const named = { ...eventAbout(orgId, item.id), payload: { email: item.email } };
    // Of many of the same customer, who may be merged or erased meanwhile.
    const same = Array.from({ length: item.count }, () => eventAbout(orgId, item.id));
    await storeEvents(orgId, [named, ...same]);
  }
  if (item.kind === 'compose') await processDueBatches(quietLogger);
  // Nobody of that name yet, or no longer: a refusal like every other. Who is told to try again does.
  const ifKnown = (work: () => Promise<unknown>): Promise<unknown> =>
    work().catch((error) => {
      if (isError(error, 'UNAVAILABLE')) return ifKnown(work);
      if (!isError(error, 'STORY_NOT_FOUND')) throw error;
    });
  if (item.kind === 'read') await ifKnown(() => readStory(orgId, byId));
  if (item.kind === 'merge') {
    await ifKnown(async () => {
      for (const value of [item.id, item.other]) await findOne(orgId, [{ type: 'id', value }]);
      await runMerge(await beginMerge(orgId, [item.id, item.other]));
    });
  }
  if (item.kind === 'erase') {
    await ifKnown(() => findOne(orgId, byId).then((customer) => eraseCustomer(orgId, customer)));
  }
}

describe('events, reads, merges and erasures at once', () => {
  test(
    'leave every kept event in exactly one true story',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 24 }), async (steps) => {
          const orgId = newId('org');
          await Promise.all(steps.map((item) => take(orgId, item)));
          await composeAll();
          expect(await findInconsistencies(orgId)).toEqual([]);
        }),
        { numRuns: propertyCases(6, 500), endOnFailure: true },
      );
    },
    propertyTimeout,
  );

  test('let only one of two events with one id in', async () => {
    const orgId = newId('org');
    const eventId = randomUUID();
    const event = { ...eventAbout(orgId, 'twin', { eventId }), payload: {} };
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => storeEvent(orgId, event)));
    expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'repeated')).toHaveLength(19);
  });
});
