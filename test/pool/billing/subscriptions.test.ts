import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Context, ServiceBroker } from 'moleculer';
import mongoose from 'mongoose';
import { newId } from '../../../lib/data/ids.ts';
import { SoldVersionModel } from '../../../models/billing/sold-version.ts';
import { type SubscriptionDocument, SubscriptionModel } from '../../../models/billing/subscription.ts';
import { handleEffects } from '../../../services/billing/subscriptions/effects.ts';
import { subscriptionEvents } from '../../../services/billing/subscriptions/entitlements.ts';
import { changeSubscription } from '../../../services/billing/subscriptions/subscriptions.ts';
import { serverVariable } from '../../support/platform.ts';

/** Over the second implementation of the database, which removes from lists what is equal and nothing by its parts. */
const broker = new ServiceBroker({ logger: false, validator: false });
const done: string[] = [];
const note = (_ctx: Context, _orgId: string, { id, kind }: { id: string; kind: string }) => {
  if (kind === 'giveUpInvoices') return Promise.reject(new Error('Not today.'));
  done.push(id);
  return Promise.resolve();
};

beforeAll(async () => {
  await mongoose.connect(serverVariable('TEST_MONGO_URL'), { dbName: `test-${randomUUID().slice(0, 13)}` });
  await Promise.all([SubscriptionModel.createIndexes(), SoldVersionModel.createIndexes()]);
  const describe = () => ({ organization: { name: 'Shop', slug: 'shop', isFirst: false } });
  broker.createService({ name: 'identity', actions: { 'organizations.describe': describe } });
  broker.createService({ name: 'billing', events: { ...subscriptionEvents } });
  await broker.start();
  handleEffects({ issueInvoice: note, giveUpInvoices: note, endAtProvider: note, cancelAtProvider: note, mail: note });
});

afterAll(async () => {
  await broker.stop();
  await mongoose.connection.dropDatabase();
  await mongoose.disconnect();
});

test('the effects of a subscription are forgotten when they are done, and only then', async () => {
  const ctx = broker.ContextFactory.create(broker);
  const orgId = newId('org');
  const effects = async () =>
    (await SubscriptionModel.findOne({ _id: orgId, orgId }).lean<SubscriptionDocument>())!.effects;
  await changeSubscription(ctx, orgId, () => ({
    kind: 'checkoutCompleted',
    checkoutId: newId('chk'),
    terms: { plan: 'pro', version: 1, billingCycle: 'monthly' },
    provider: 'test',
    gatewaySubscriptionId: 'sub_1',
    collection: 'platform',
    currency: 'eur',
    amount: 4900,
    period: null,
  }));
  expect(await effects()).toEqual([]);
  await changeSubscription(ctx, orgId, () => ({ kind: 'cancelRequested', reason: null }));
  await changeSubscription(ctx, orgId, () => ({ kind: 'planGiven', plan: 'scale' }));
  expect((await effects()).map(({ kind }) => kind)).toEqual(['giveUpInvoices']);
  expect(done).toHaveLength(4);
  expect(new Set(done).size).toBe(4);
});
