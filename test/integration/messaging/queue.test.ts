import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import mongoose, { Schema } from 'mongoose';
import { createQueueLimit } from '../../../messaging/delivery/capacity.ts';
import { createWake, DeliveryError, type Failure, failures } from '../../../messaging/delivery/deliverer.ts';
import { createDelivery } from '../../../messaging/delivery/delivery.ts';
import {
  type DeliveryFields,
  deliveryFields,
  indexDeliveries,
  newDelivery,
} from '../../../messaging/delivery/documents.ts';
import { deliveryMetrics } from '../../../messaging/delivery/metrics.ts';
import { operatorActions } from '../../../messaging/delivery/operator.ts';
import type { PlaceLimits } from '../../../messaging/delivery/places.ts';
import { type Claim, createQueue, type Queue } from '../../../messaging/delivery/queue.ts';
import { connectOwnDatabase, type OwnDatabase } from '../../support/own-database.ts';
import { propertyCases } from '../../support/property-cases.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { eventually } from '../../support/until.ts';

const schema = new Schema<DeliveryFields>(deliveryFields, { collection: 'test_deliveries', versionKey: false });
indexDeliveries(schema);
const Model = mongoose.model<DeliveryFields>('TestDelivery', schema);
const metrics = deliveryMetrics('test_delivery', 'Deliveries', Model);
let database: OwnDatabase;
let ids = 0;

beforeAll(async () => {
  database = await connectOwnDatabase(Model);
});
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop();
  await Model.collection.deleteMany({});
});
afterAll(() => database.close());

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

type Options = {
  sending?: PlaceLimits;
  prepare?: (document: DeliveryFields) => Promise<void>;
  deliver?: (document: DeliveryFields) => Promise<void>;
};

const running: { stop: () => Promise<void> }[] = [];
const nothing = () => Promise.resolve();

function start({ sending = { places: 6, share: 5 }, prepare = nothing, deliver = nothing }: Options) {
  const wake = createWake();
  const delivery = createDelivery(
    { label: 'A delivery', model: Model, wake, metrics, preparing: { places: 16, share: 1 }, sending },
    { prepare: async (claim) => prepare(claim).then(() => () => deliver(claim).then(() => ({}))), connection: 'only' },
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

/** The next document, of an organization that is not skipped. */
async function claimNext(queue: Queue<DeliveryFields>, skipped: string[] = []): Promise<Claim<DeliveryFields> | null> {
  const [claim = null] = await queue.claim({
    most: 1,
    maxPerOrganization: (orgId) => (skipped.includes(orgId) ? 0 : 1),
  });
  return claim;
}

describe('the queue of deliveries', () => {
  test('gives organizations their turns, each its oldest first', async () => {
    await add(...many(3, 'a'), ...many(2, 'b'), ...many(1, 'c'));
    const queue = createQueue(Model, 'here');
    const served: string[] = [];
    for (let claim = await claimNext(queue); claim; claim = await claimNext(queue)) {
      served.push(`${claim.orgId} ${claim._id}`);
    }
    expect(served.map((one) => one.slice(0, 1))).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
    expect(served.filter((one) => one.startsWith('a'))).toEqual(served.filter((one) => one.startsWith('a')).sort());
  });

  test('skips organizations that have their places, and finds those before and after them', async () => {
    await add(...many(1, 'a'), ...many(1, 'b'), ...many(1, 'c'));
    const queue = createQueue(Model, 'here');
    expect(await claimNext(queue, ['a', 'b'])).toMatchObject({ orgId: 'c' });
    expect(await claimNext(queue, ['b', 'c'])).toMatchObject({ orgId: 'a' });
    expect(await claimNext(queue, ['b'])).toBeNull();
  });

  test('claims many by one lease: of each organization as much as it may have', async () => {
    await add(...many(9, 'a'), ...many(2, 'b'), ...many(1, 'c'), ...many(5, 'd'));
    const queue = createQueue(Model, 'here');
    const mostOf = (orgId: string) => (orgId === 'c' ? 0 : 4);
    const rounds = [];
    for (let round = 0; round < 3; round += 1) rounds.push(await queue.claim({ most: 12, maxPerOrganization: mostOf }));
    expect(rounds.map((claims) => claims.map(({ orgId }) => orgId).join(''))).toEqual(['aaaabb', 'dddd', 'aaaad']);
    for (const claims of rounds) expect(new Set(claims.map(({ leaseOwner }) => leaseOwner)).size).toBe(1);
    const stored = await Model.find({ status: 'sending' }).sort({ _id: 1 }).lean();
    const claimed = rounds.flat().sort((one, other) => one._id.localeCompare(other._id));
    expect(claimed.map(({ _id, attempts, leaseOwner }) => [_id, attempts, leaseOwner])).toEqual(
      stored.map(({ _id, leaseOwner }) => [_id, 1, leaseOwner]),
    );
  });

  test('claims each document once, whatever asks at the same time', async () => {
    await add(...many(60, 'a'), ...many(60, 'b'));
    const queues = Array.from({ length: 6 }, (_, owner) => createQueue(Model, `node ${owner}`));
    const claimed: string[] = [];
    await Promise.all(
      queues.map(async (queue) => {
        const wanted = { most: 7, maxPerOrganization: () => 7 };
        for (let claims = await queue.claim(wanted); claims.length > 0; claims = await queue.claim(wanted)) {
          claimed.push(...claims.map(({ _id }) => _id));
        }
      }),
    );
    expect([claimed.length, new Set(claimed).size]).toEqual([120, 120]);
  });

  test('settles many at once, but not those that another process has claimed since, and releases what was not tried', async () => {
    await add(...many(4, 'a'));
    const queue = createQueue(Model, 'here');
    const claims = await queue.claim({ most: 4, maxPerOrganization: () => 4 });
    const [lost, kept, ...untried] = claims;
    await Model.collection.updateOne({ _id: lost!._id as never }, { $set: { leaseOwner: 'another' } });
    await queue.settleAll([lost!, kept!].map((claim) => ({ claim, fields: { status: 'sent' } })));
    await queue.release([lost!, ...untried]);
    const stored = await Model.find().sort({ _id: 1 }).lean();
    expect(stored.map(({ status, leaseOwner, attempts }) => [status, leaseOwner, attempts])).toEqual([
      ['sending', 'another', 1],
      ['sent', null, 1],
      ['queued', null, 0],
      ['queued', null, 0],
    ]);
  });

  test('settles what it can of many, and says which it could not', async () => {
    await add(...many(3, 'a'));
    const queue = createQueue(Model, 'here');
    const outcomes = (await queue.claim({ most: 3, maxPerOrganization: () => 3 })).map((claim) => ({
      claim,
      fields: { status: 'sent' },
    }));
    // What the database does not let change in a document.
    const faulty = { ...outcomes[1]!, fields: { status: 'sent', _id: 'another' } };
    const refused = await queue.settleAll([outcomes[0]!, faulty, outcomes[2]!]);
    expect([...refused.keys()]).toEqual([faulty]);
    const stored = await Model.find().sort({ _id: 1 }).lean();
    expect(stored.map(({ status }) => status)).toEqual(['sent', 'sending', 'sent']);
    expect((await queue.settleAll(outcomes)).size).toBe(0);
    expect(await Model.countDocuments({ status: 'sent' })).toBe(3);
  });

  test('settles those that are alike by one update, and each of the others by itself', async () => {
    await add(...many(3, 'a'), ...many(2, 'b'));
    const queue = createQueue(Model, 'here');
    const claims = await queue.claim({ most: 5, maxPerOrganization: () => 3 });
    expect(claims).toHaveLength(5);
    const later = new Date('2031-01-01T00:00:00.000Z');
    const retry = { status: 'waiting', nextAttemptAt: later, lastError: 'later' } as const;
    const fields = [
      { status: 'sent' },
      retry,
      { status: 'sent', lastError: 'first' },
      { status: 'sent' },
      { ...retry },
    ];
    await queue.settleAll(claims.map((claim, place) => ({ claim, fields: fields[place]! })));
    const stored = await Model.find().sort({ _id: 1 }).lean();
    const expected = claims.map(({ _id }, place) => [_id, fields[place]!.status, fields[place]!.lastError ?? null]);
    const found = stored.map(({ _id, status, lastError }) => [_id, status, lastError]);
    expect(found.sort()).toEqual(expected.sort());
    expect(stored.filter(({ nextAttemptAt }) => nextAttemptAt.getTime() === later.getTime())).toHaveLength(2);
  });

  test('delivers for another organization before most of the many thousands of one', async () => {
    const total = propertyCases(10_000, 100_000);
    await add(...many(total, 'org_big'));
    let ofBig = 0;
    /** How many of the big organization were delivered before each of the small ones. */
    const before = new Map<string, number>();
    const { wake, stop } = start({
      deliver({ orgId, _id }) {
        if (orgId === 'org_big') ofBig += 1;
        else before.set(_id, ofBig);
        return Promise.resolve();
      },
    });
    for (let round = 0; round < 3; round += 1) {
      const small = documentOf(`org_small_${round}`);
      await add(small);
      const asked = ofBig;
      wake.wake();
      await eventually(() => expect(before.has(small._id)).toBe(true));
      expect(before.get(small._id)! - asked).toBeLessThan(total / 10);
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
    await eventually(async () => expect(await Model.countDocuments({ status: 'sending' })).toBeGreaterThanOrEqual(5));
    await add(documentOf('fast'));
    wake.wake();
    await eventually(async () => expect(await Model.countDocuments({ orgId: 'fast', status: 'sent' })).toBe(1));
    release();
    await stop();
  });

  const failing = (failure: Failure) => () => Promise.reject(new DeliveryError(failure, 'It fails.'));
  const defect = () => Promise.reject(new TypeError('A defect.'));
  const hanging = () =>
    new Promise<void>((_, reject) => setTimeout(reject, 500, new DeliveryError('unknown', 'Timeout')));

  test.each([
    ...failures.map((failure) => [`${failure} while it is prepared`, { prepare: failing(failure) }] as const),
    ['a defect while it is prepared', { prepare: defect }],
    ['refused when it is sent', { deliver: failing('refused') }],
    ['deferred when it is sent', { deliver: failing('deferred') }],
    ['limited when it is sent', { deliver: failing('rateLimited') }],
    ['a lost connection when it is sent', { deliver: failing('unknown') }],
    ['a defect when it is sent', { deliver: defect }],
    ['a slow failure when it is sent', { deliver: hanging }],
    ['a slow failure while it is prepared', { prepare: hanging }],
  ] as const)('1,000 failing deliveries of one organization delay no other: %s', async (_name, failure) => {
    const of = (own: Options['deliver']) => (document: DeliveryFields) =>
      document.orgId === 'org_failing' && own ? own(document) : Promise.resolve();
    const { prepare, deliver }: Options = failure;
    await add(...many(1000, 'org_failing'));
    let tries = 0;
    /** How many attempts of the failing organization began before each delivery of the others. */
    const before = new Map<string, number>();
    const { wake, stop } = start({
      prepare(document) {
        if (document.orgId === 'org_failing') tries += 1;
        return of(prepare)(document);
      },
      deliver(document) {
        if (document.orgId !== 'org_failing') before.set(document._id, tries);
        return of(deliver)(document);
      },
    });
    for (let round = 0; round < 3; round += 1) {
      const small = documentOf(`org_small_${round}`);
      await add(small);
      const asked = tries;
      wake.wake();
      await eventually(async () => expect(await Model.countDocuments({ _id: small._id, status: 'sent' })).toBe(1));
      expect(before.get(small._id)! - asked).toBeLessThan(500);
    }
    await stop();
  });

  test('several organizations with slow far ends leave places to the others', async () => {
    await add(...Array.from({ length: 8 }, (_, number) => many(40, `org_slow_${number}`)).flat());
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let holding = 0;
    const { wake, stop } = start({
      sending: { places: 32, share: 1 },
      deliver({ orgId }) {
        if (!orgId.startsWith('org_slow')) return Promise.resolve();
        holding += 1;
        return held;
      },
    });
    await eventually(() => expect(holding).toBeGreaterThan(20));
    await add(documentOf('org_fast'));
    wake.wake();
    await eventually(async () => expect(await Model.countDocuments({ orgId: 'org_fast', status: 'sent' })).toBe(1));
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
    const capacity = createQueueLimit(Model, 3);
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
    const actions = operatorActions({
      command: 'mail',
      of: { plural: 'mail', id: 'msg' },
      model: Model,
      wake: createWake(),
    });
    const ask = async (name: keyof typeof actions, body: object) => {
      const ctx = { params: { body }, meta: {}, broker: { logger: quietLogger } } as never;
      return ((await actions[name].handler!.call({} as never, ctx)) as { lines: string[] }).lines;
    };
    const lines = await ask('console.queue', {});
    expect(lines.slice(0, 4)).toEqual(['queued: 1', 'waiting: 0', 'sending: 0', 'failed: 3']);
    expect(lines.join('\n')).toContain(`${first!._id} of org_a, 0 attempts, refused: 550 No such user`);
    expect(await ask('console.redrive', { what: first!._id })).toEqual(['1 queued again.']);
    expect(await ask('console.redrive', { what: first!._id })).toEqual(['No such dead letter.']);
    expect(await ask('console.redrive', { what: 'org_b' })).toEqual(['1 queued again.']);
    expect(await ask('console.redrive', { what: 'all' })).toEqual(['1 queued again.']);
    expect(await Model.countDocuments({ status: 'queued', attempts: 0 })).toBe(4);
  });

  test('has a redrive end although each letter dies again at once', async () => {
    const dead = { status: 'failed', lastFailure: 'refused' as const, lastError: '550 No such user' };
    await add(documentOf('org_a', dead), documentOf('org_b', dead), documentOf('org_b', dead));
    let updates = 0;
    const queueAndDie = (filter: object, update: object) => ({
      async setOptions() {
        updates += 1;
        if (updates > 10) throw new Error('The redrive does not end.');
        const { modifiedCount } = await Model.collection.updateMany(filter, update);
        await Model.collection.updateMany({ status: 'queued' }, { $set: { status: 'failed' } });
        return { modifiedCount };
      },
    });
    const mortal = new Proxy(Model, {
      get(target, name) {
        if (name === 'updateMany') return queueAndDie;
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const actions = operatorActions({
      command: 'mail',
      of: { plural: 'mail', id: 'msg' },
      model: mortal,
      wake: createWake(),
    });
    const ctx = { params: { body: { what: 'all' } }, meta: {}, broker: { logger: quietLogger } } as never;
    const { lines } = (await actions['console.redrive'].handler!.call({} as never, ctx)) as { lines: string[] };
    expect(lines).toEqual(['3 queued again.']);
  });
});
