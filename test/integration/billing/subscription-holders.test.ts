import { afterAll, beforeAll, expect, test } from '@jest/globals';
import mongoose from 'mongoose';
import { newId } from '../../../lib/data/ids.ts';
import { type SubscriptionDocument, SubscriptionModel } from '../../../models/billing/subscription.ts';
import { findHolder } from '../../../services/billing/subscriptions/subscriptions.ts';
import { complimentarySubscription } from '../../../services/billing/subscriptions/transition.ts';
import { connectOwnDatabase, type OwnDatabase } from '../../support/own-database.ts';

let database: OwnDatabase;
/** What was looked for. */
const asked: object[] = [];

beforeAll(async () => {
  database = await connectOwnDatabase(SubscriptionModel);
  mongoose.connection.getClient().on('commandStarted', ({ commandName, command }) => {
    if (commandName === 'find' && command.find === 'billing_subscriptions') asked.push(command.filter);
  });
});
afterAll(() => database.close());

async function subscriber(change: object): Promise<string> {
  const orgId = newId('org');
  const at = new Date();
  const subscription = { ...complimentarySubscription('free', at), ...change };
  const document = { _id: orgId, orgId, revision: 1, subscription, dueAt: null, effects: [], createdAt: at };
  await SubscriptionModel.create({ ...document, updatedAt: at } satisfies SubscriptionDocument);
  return orgId;
}

/** How many documents the database looks at for what it was asked. */
async function examined(): Promise<number> {
  let sum = 0;
  for (const filter of asked.splice(0)) {
    const { executionStats } = await SubscriptionModel.collection.find(filter).explain('executionStats');
    sum += executionStats.totalDocsExamined;
  }
  asked.length = 0;
  return sum;
}

test('Whose a subscription of a provider is, and was, is found without a look at those of others', async () => {
  const paying = (id: string) => ({ provider: 'stripe', gatewaySubscriptionId: id });
  for (let count = 0; count < 20; count += 1) await subscriber({ ...paying(newId('sub')), endedIds: [newId('sub')] });
  const holder = await subscriber({ ...paying('sub_now'), endedIds: ['sub_before', 'sub_before_that'] });
  asked.length = 0;
  expect(await findHolder('stripe', 'sub_now')).toEqual({ orgId: holder, revision: 1 });
  expect(await examined()).toBe(1);
  expect(await findHolder('stripe', 'sub_before_that')).toEqual({ orgId: holder, revision: 1 });
  expect(await examined()).toBe(1);
  expect(await findHolder('stripe', 'sub_unknown')).toBeNull();
  expect(await examined()).toBe(0);
  expect(await findHolder('manual', 'sub_now')).toBeNull();
});
