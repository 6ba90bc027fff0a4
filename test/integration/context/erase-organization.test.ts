import { describe, expect, test } from '@jest/globals';
import type { Context } from 'moleculer';
import mongoose from 'mongoose';
import { recordRetentionChange } from '../../../lib/clients/retention-days.ts';
import { now } from '../../../lib/data/clock.ts';
import { ErasureRecordModel, recordErasure } from '../../../lib/data/erasure-records.ts';
import { newId } from '../../../lib/data/ids.ts';
import { CustomerModel } from '../../../models/context/customer.ts';
import { EventModel } from '../../../models/context/event.ts';
import { IdentifierModel } from '../../../models/context/identifier.ts';
import { PendingEventModel } from '../../../models/context/pending-event.ts';
import { RetentionModel } from '../../../models/context/retention.ts';
import { eraseOrganization } from '../../../services/context/erasure.actions.ts';
import { storeEvent } from '../../../services/context/ingest/store-events.ts';
import { readStory } from '../../../services/context/stories.ts';
import { ownContextDatabase } from '../../support/context-database.ts';
import { eventAbout } from '../../support/events.ts';
import { composeAll } from './consistency.ts';

ownContextDatabase();

async function counts(orgId: string): Promise<number[]> {
  return [
    await EventModel.countDocuments({ orgId }),
    await PendingEventModel.countDocuments({ orgId }),
    await CustomerModel.countDocuments({ orgId }),
    await IdentifierModel.countDocuments({ orgId }),
    await RetentionModel.countDocuments({ orgId }),
    await ErasureRecordModel.countDocuments({ orgId, kind: 'customer' }),
  ];
}

const storyOf = (orgId: string) => readStory(orgId, [{ type: 'id', value: 'customer-1' }]);

/** Runs the action as the broker does. */
const erase = async (orgId: string): Promise<{ isComplete: boolean }> => {
  const handler = eraseOrganization.handler as (ctx: Context) => Promise<{ isComplete: boolean }>;
  return await handler({ params: { body: { orgId } }, meta: {} } as unknown as Context);
};

describe('context.organizations.erase', () => {
  test('removes all of an organization, in bounded parts, and nothing of another with the same', async () => {
    const [orgId, neighbour] = [newId('org'), newId('org')];
    for (const org of [orgId, neighbour]) {
      await storeEvent(org, { ...eventAbout(org, 'customer-1'), payload: { email: 'ada@example.com' } });
      await recordRetentionChange(RetentionModel, org, 30);
      await recordErasure({ _id: newId('req'), kind: 'customer', orgId: org, identifiers: 'sealed', erasedAt: now() });
      await recordErasure({ _id: org, kind: 'organization', orgId: org, identifiers: null, erasedAt: now() });
    }
    await composeAll();
    const before = await counts(neighbour);
    const story = await storyOf(neighbour);
    const { _id, ...event } = (await EventModel.findOne({ orgId }).lean())!;
    const copies = Array.from({ length: 12_000 }, (_one, place) => ({ ...event, _id: `${orgId}:copy-${place}` }));
    await mongoose.connection.collection<{ _id: string }>('context_events').insertMany(copies);

    expect(await erase(orgId)).toEqual({ isComplete: false });
    expect((await counts(orgId))[0]).toBeGreaterThan(0);
    let calls = 1;
    while (!(await erase(orgId)).isComplete) calls += 1;
    expect(calls).toBeLessThan(4);
    expect(await counts(orgId)).toEqual([0, 0, 0, 0, 0, 0]);
    // That the organization itself was erased.
    expect(await ErasureRecordModel.countDocuments({ orgId })).toBe(1);
    expect(await counts(neighbour)).toEqual(before);
    expect(await storyOf(neighbour)).toEqual(story);
    expect(await erase(orgId)).toEqual({ isComplete: true });
  });
});
