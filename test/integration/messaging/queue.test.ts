import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import mongoose, { Schema } from 'mongoose';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import { createCapacity } from '../../../messaging/delivery/capacity.ts';
import { createDelivery } from '../../../messaging/delivery/delivery.ts';
import {
  type DeliveryFields,
  deliveryFields,
  indexDeliveries,
  newDelivery,
} from '../../../messaging/delivery/documents.ts';
import { DeliveryError } from '../../../messaging/delivery/failures.ts';
import { deliveryMetrics } from '../../../messaging/delivery/metrics.ts';
import { operatorActions } from '../../../messaging/delivery/operator.ts';
import { createQueue } from '../../../messaging/delivery/queue.ts';
import { createWake } from '../../../messaging/delivery/wake.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { eventually } from '../../support/until.ts';

const schema = new Schema<DeliveryFields>(deliveryFields, { collection: 'test_deliveries', versionKey: false });
indexDeliveries(schema);
const Model = mongoose.model<DeliveryFields>('TestDelivery', schema);
const metrics = deliveryMetrics('test_delivery', 'Deliveries', Model);
let database: EmbeddedMongo;
let folder: string;
let ids = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'queue-'));
  database = await startEmbeddedMongo({ dir: join(folder, 'mongo') });
  await mongoose.connect(database.url, { dbName: 'platform', autoIndex: false, autoCreate: false });
  await Model.createIndexes();
}, 60_000);
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop();
  await Model.collection.deleteMany({});
});
afterAll(async () => {
  await mongoose.disconnect();
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

function documentOf(orgId: string, more: Partial<DeliveryFields> = {}): DeliveryFields {
  ids += 1;
  return { ...newDelivery(new Date()), _id: `msg_${String(ids).padStart(10, '0')}`, orgId, ...more };
}

async function add(...documents: DeliveryFields[]): Promise<void> {
  for (let at = 0; at < documents.length; at += 5000) {
    await Model.collection.insertMany(documents.slice(at, at + 5000) as never);
  }
}

const many = (count: number, orgId: string, more: Partial<DeliveryFields> = {}) =>
  Array.from({ length: count }, () => documentOf(orgId, more));

type Options = { places?: number; placesOfOrganization?: number; deliver: (document: DeliveryFields) => Promise<void> };

const running: { stop: () => Promise<void> }[] = [];

function start({ places = 6, placesOfOrganization = 5, deliver }: Options) {
  const wake = createWake();
  const delivery = createDelivery(
    { thing: 'A delivery', model: Model, wake, metrics, places, placesOfOrganization },
    { deliver: async (claim) => deliver(claim).then(() => ({})), connectionOf: () => 'only' },
    quietLogger,
  );
  const stopping = new AbortController();
  const ended = delivery.run(stopping.signal);
  const started = {
    wake,
    async stop() {
      stopping.abort();
      await ended;
    },
  };
  running.push(started);
  return started;
}

const pause = (milliseconds: number) => new Promise<void>((resolve) => void setTimeout(resolve, milliseconds));

describe('the queue of deliveries', () => {
  test('gives organizations their turns, each its oldest first', async () => {
    await add(...many(3, 'a'), ...many(2, 'b'), ...many(1, 'c'));
    const queue = createQueue(Model, 'here');
    const served: string[] = [];
    for (let claim = await queue.claimNext(new Set()); claim; claim = await queue.claimNext(new Set())) {
      served.push(`${claim.orgId} ${claim._id}`);
    }
    expect(served.map((one) => one.slice(0, 1))).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
    expect(served.filter((one) => one.startsWith('a'))).toEqual(served.filter((one) => one.startsWith('a')).sort());
  });

  test('skips organizations that have their places, and finds those before and after them', async () => {
    await add(...many(1, 'a'), ...many(1, 'b'), ...many(1, 'c'));
    const queue = createQueue(Model, 'here');
    expect(await queue.claimNext(new Set(['a', 'b']))).toMatchObject({ orgId: 'c' });
    expect(await queue.claimNext(new Set(['b', 'c']))).toMatchObject({ orgId: 'a' });
    expect(await queue.claimNext(new Set(['b']))).toBeNull();
  });

  test('claims each document once, whatever asks at the same time', async () => {
    await add(...many(60, 'a'), ...many(60, 'b'));
    const queues = Array.from({ length: 6 }, (_, owner) => createQueue(Model, `node ${owner}`));
    const claimed: string[] = [];
    await Promise.all(
      queues.map(async (queue) => {
        for (let claim = await queue.claimNext(new Set()); claim; claim = await queue.claimNext(new Set())) {
          claimed.push(claim._id);
        }
      }),
    );
    expect([claimed.length, new Set(claimed).size]).toEqual([120, 120]);
  });

  test('delivers for another organization within a second beside 100,000 of one', async () => {
    await add(...many(100_000, 'org_big'));
    const delivered = new Map<string, number>();
    const { wake, stop } = start({
      async deliver({ orgId, _id }) {
        await pause(20);
        if (orgId !== 'org_big') delivered.set(_id, performance.now());
      },
    });
    for (let round = 0; round < 5; round += 1) {
      const small = documentOf(`org_small_${round}`);
      const askedAt = performance.now();
      await add(small);
      wake.wake();
      await eventually(() => expect(delivered.has(small._id)).toBe(true));
      expect(delivered.get(small._id)! - askedAt).toBeLessThan(1000);
    }
    await stop();
    expect(await Model.countDocuments({ orgId: 'org_big', status: 'sent' })).toBeGreaterThan(0);
  }, 120_000);

  test('leaves a place for others while one organization waits for a slow far end', async () => {
    await add(...many(20, 'slow'));
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { wake, stop } = start({ deliver: ({ orgId }) => (orgId === 'slow' ? held : Promise.resolve()) });
    await eventually(async () => expect(await Model.countDocuments({ status: 'sending' })).toBe(5));
    await add(documentOf('fast'));
    wake.wake();
    await eventually(async () => expect(await Model.countDocuments({ orgId: 'fast', status: 'sent' })).toBe(1));
    release();
    await stop();
  });

  test('pauses a connection that cannot be reached, without counting attempts, and goes on when it can', async () => {
    await add(...many(30, 'a'));
    let isUp = false;
    let tries = 0;
    const { stop } = start({
      deliver() {
        tries += 1;
        return isUp ? Promise.resolve() : Promise.reject(new DeliveryError('unreachable', 'ECONNREFUSED'));
      },
    });
    await eventually(async () =>
      expect(await Model.countDocuments({ status: 'waiting', attempts: 0 })).toBeGreaterThan(20),
    );
    expect(tries).toBeLessThan(20);
    isUp = true;
    await eventually(async () => expect(await Model.countDocuments({ status: 'sent' })).toBe(30), 60_000);
    await stop();
  }, 40_000);
});

describe('the bound of an organization’s queue', () => {
  test('refuses what is beyond it with Retry-After, and takes more when some were delivered', async () => {
    const capacity = createCapacity(Model, 3);
    await add(...many(2, 'a'), ...many(9, 'b'), ...many(5, 'a', { status: 'sent' }));
    await capacity.add('a');
    await expect(capacity.add('b')).rejects.toMatchObject({
      type: 'RATE_LIMITED',
      data: { headers: expect.anything() },
    });
    await expect(capacity.add('a')).rejects.toMatchObject({ type: 'RATE_LIMITED' });
    await Model.collection.updateMany({ orgId: 'b' }, { $set: { status: 'sent' } });
    await eventually(async () => capacity.add('b'));
  });
});

describe('an operator', () => {
  test('sees what waits and the dead letters, and sends them again', async () => {
    const dead = { status: 'failed', lastFailure: 'refused' as const, lastError: '550 No such user' };
    const [first, ...others] = [documentOf('org_a', dead), documentOf('org_a', dead), documentOf('org_b', dead)];
    await add(first!, ...others, documentOf('org_a'));
    const actions = operatorActions({ service: 'test', model: Model, wake: createWake() });
    const ask = async (name: keyof typeof actions, body: object) => {
      const ctx = { params: { body }, meta: {}, broker: { logger: quietLogger } } as never;
      return ((await actions[name].handler!.call({} as never, ctx)) as { lines: string[] }).lines;
    };
    const lines = await ask('console.queue', {});
    expect(lines.slice(0, 4)).toEqual(['queued: 1', 'waiting: 0', 'sending: 0', 'failed: 3']);
    expect(lines.join('\n')).toContain(`${first!._id} of org_a, 0 attempts, refused: 550 No such user`);
    expect(await ask('console.redrive', { what: first!._id })).toEqual(['1 queued again.']);
    expect(await ask('console.redrive', { what: first!._id })).toEqual(['There is no such dead letter.']);
    expect(await ask('console.redrive', { what: 'org_b' })).toEqual(['1 queued again.']);
    expect(await ask('console.redrive', { what: 'all' })).toEqual(['1 queued again.']);
    expect(await Model.countDocuments({ status: 'queued', attempts: 0 })).toBe(4);
  });
});
