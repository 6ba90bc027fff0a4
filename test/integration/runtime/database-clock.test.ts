import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import mongoose, { Schema } from 'mongoose';
import { leaseNow, minute, setClock, setDatabaseAhead } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';
import {
  type DeliveryFields,
  deliveryFields,
  indexDeliveries,
  newDelivery,
} from '../../../messaging/delivery/documents.ts';
import { createQueue } from '../../../messaging/delivery/queue.ts';
import { followDatabaseClock } from '../../../mixins/database-clock.ts';
import { connectOwnDatabase, type OwnDatabase } from '../../support/own-database.ts';
import { quietLogger } from '../../support/quiet-logger.ts';

const schema = new Schema<DeliveryFields>(deliveryFields, { collection: 'test_leases', versionKey: false });
indexDeliveries(schema);
const Model = mongoose.model<DeliveryFields>('TestLease', schema);

let database: OwnDatabase;
beforeAll(async () => {
  database = await connectOwnDatabase(Model);
});
afterAll(() => database.close());

const restores: (() => void)[] = [];
afterEach(() => {
  for (const restore of restores.splice(0)) restore();
  setDatabaseAhead(0);
});

/** From now on this node's clock is wrong by some minutes. */
function turnClock(minutes: number): void {
  restores.push(setClock(() => new Date(Date.now() + minutes * minute)));
}

const follow = (logger = quietLogger) => followDatabaseClock(mongoose.connection.getClient(), logger);

describe('a node whose clock is wrong', () => {
  test.each([2, 60, -2])('by %i minutes sees leases by the clock of the database', async (minutes) => {
    const orgId = newId('org');
    await Model.collection.insertOne({ ...newDelivery(new Date()), _id: newId('msg'), orgId } as never);
    const [claim] = await createQueue(Model, 'right').claim({ most: 1, maxPerOrganization: () => 1 });
    expect(claim).toBeDefined();

    turnClock(minutes);
    await follow();
    expect(Math.abs(leaseNow().getTime() - Date.now())).toBeLessThan(2000);
    const wrong = createQueue(Model, 'wrong');
    expect(await wrong.promote([])).toBe(0);
    // Its own leases are seen alike by the others.
    await wrong.renew(claim!.leaseOwner!, [claim!._id]);
    const renewed = (await Model.findOne({ _id: claim!._id }).lean<DeliveryFields>())!;
    expect(Math.abs(renewed.nextAttemptAt.getTime() - Date.now() - minute)).toBeLessThan(5000);
    await Model.collection.deleteMany({ orgId });
  });

  test('says so once, in the log', async () => {
    const lines: string[] = [];
    const logger = { ...quietLogger, warn: (line: string) => lines.push(line) };
    await follow(logger);
    expect(lines).toEqual([]);
    turnClock(2);
    await follow(logger);
    expect(lines).toEqual([expect.stringMatching(/^The clock of this node is 1[12]\d s ahead of the database's/)]);
  });
});
