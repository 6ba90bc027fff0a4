import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import mongoose from 'mongoose';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import type { Ctx } from '../../../lib/contract/context.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import type { Work } from '../../../lib/contract/idempotency.ts';
import { setClock } from '../../../lib/data/clock.ts';
import { until } from '../../support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'idempotency-'));
process.env.DATA_DIR = folder;
const { idempotencyIndexes, replayOrRun, sweepIdempotencyRecords } = await import(
  '../../../lib/contract/idempotency.ts'
);

const start = Date.parse('2030-01-01T00:00:00.000Z');
const lease = 30_000;
const day = 24 * 60 * 60_000;
let database: EmbeddedMongo;
let instant = start;
let restoreClock = (): void => undefined;

beforeAll(async () => {
  database = await startEmbeddedMongo({ dir: join(folder, 'mongo') });
  await mongoose.connect(database.url, { dbName: 'idempotency' });
  await idempotencyIndexes.createIndexes();
  restoreClock = setClock(() => new Date(instant));
});

afterAll(async () => {
  restoreClock();
  await mongoose.disconnect();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

beforeEach(() => {
  instant = start;
});

type Given = { key?: string; orgId?: string; id?: string; scopes?: string[]; action?: string };
type Received = Ctx;

/** What of a request's context matters here. */
function contextOf({
  key,
  orgId = 'org_1',
  id = 'app_1',
  scopes = ['svc:write'],
  action = 'shop.order',
}: Given): Received {
  const caller = { type: 'application' as const, id, orgId, scopes, keyId: 'key_1' };
  const broker = { logger: { warn: () => undefined } };
  return { action: { name: action }, meta: { caller, idempotencyKey: key }, broker } as unknown as Received;
}

/** Requests work whose outcome nothing proves: what a former run did is not found. */
function request(ctx: Received, given: object, run: Work['run'], work: Partial<Work> = {}): Promise<unknown> {
  return replayOrRun(ctx, given, {
    run,
    resume: () => Promise.resolve(null),
    status: 201,
    isPersonal: false,
    ...work,
  });
}

const input = { body: { name: 'x' } };
const records = () => mongoose.connection.collection('idempotency_records');

/** Work that counts how often it was done, and answers that. */
function counted(failures: Error[] = []) {
  let runs = 0;
  return jest.fn(() => {
    runs += 1;
    const failure = failures.shift();
    return failure ? Promise.reject(failure) : Promise.resolve({ run: runs });
  });
}

describe('a request with an Idempotency-Key', () => {
  test('runs once; its repetition is given the same answer and says so', async () => {
    const [key, work] = [randomUUID(), counted()];
    expect(await request(contextOf({ key }), input, work)).toEqual({ run: 1 });
    const again = contextOf({ key });
    expect(await request(again, { body: { name: 'x' } }, work)).toEqual({ run: 1 });
    expect(again.meta.$responseHeaders).toEqual({ 'Idempotency-Replayed': 'true' });
    expect(work).toHaveBeenCalledTimes(1);
  });

  test('is given an answer without contents as such', async () => {
    const key = randomUUID();
    await request(contextOf({ key }), input, () => Promise.resolve(undefined));
    expect(await request(contextOf({ key }), input, counted())).toBeNull();
  });

  test('without one runs every time and leaves nothing behind', async () => {
    const [work, before] = [counted(), await records().countDocuments()];
    await request(contextOf({}), input, work);
    expect(await request(contextOf({}), input, work)).toEqual({ run: 2 });
    expect(await records().countDocuments()).toBe(before);
  });

  test.each<[string, Given, object]>([
    ['input', {}, { body: { name: 'y' } }],
    ['application', { id: 'app_2' }, input],
    ['scopes', { scopes: ['svc:admin'] }, input],
  ])('is refused with another %s', async (_what, change, given) => {
    const [key, work] = [randomUUID(), counted()];
    await request(contextOf({ key }), input, work);
    await expect(request(contextOf({ key, ...change }), given, work)).rejects.toMatchObject({
      type: 'IDEMPOTENCY_MISMATCH',
    });
    expect(work).toHaveBeenCalledTimes(1);
  });

  test.each<[string, Given]>([
    ['organization', { orgId: 'org_2' }],
    ['action', { action: 'shop.refund' }],
  ])('is another one in another %s', async (_what, change) => {
    const [key, work] = [randomUUID(), counted()];
    await request(contextOf({ key }), input, work);
    expect(await request(contextOf({ key, ...change }), input, work)).toEqual({ run: 2 });
  });

  test('is refused with Retry-After while the first still runs, and replayed afterwards', async () => {
    const key = randomUUID();
    const { promise, resolve } = Promise.withResolvers<object>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const first = request(contextOf({ key }), input, () => {
      begin();
      return promise;
    });
    await begun;
    await expect(request(contextOf({ key }), input, counted())).rejects.toMatchObject({
      type: 'IDEMPOTENCY_IN_PROGRESS',
      data: { headers: { 'Retry-After': '1' } },
    });
    resolve({ run: 'first' });
    await first;
    expect(await request(contextOf({ key }), input, counted())).toEqual({ run: 'first' });
  });

  test('runs once of thirty at the same time', async () => {
    const [key, work] = [randomUUID(), counted()];
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, () =>
        request(contextOf({ key }), input, work).catch(({ type }: { type: string }) => type),
      ),
    );
    expect(work).toHaveBeenCalledTimes(1);
    const unexpected = outcomes.filter(
      (outcome) => outcome !== 'IDEMPOTENCY_IN_PROGRESS' && JSON.stringify(outcome) !== '{"run":1}',
    );
    expect(unexpected).toEqual([]);
    expect(outcomes).toContainEqual({ run: 1 });
  });

  test('that was refused leaves its key to the corrected request', async () => {
    const [key, work] = [randomUUID(), counted([apiError('NOT_FOUND')])];
    await expect(request(contextOf({ key }), input, work)).rejects.toMatchObject({ type: 'NOT_FOUND' });
    expect(await request(contextOf({ key }), { body: { name: 'corrected' } }, work)).toEqual({ run: 2 });
  });

  test('whose process died is run again when its lease has ended, by the same request alone', async () => {
    const key = randomUUID();
    void request(contextOf({ key }), input, () => new Promise(() => undefined));
    const inProgress = { type: 'IDEMPOTENCY_IN_PROGRESS' };
    await expect(untilClaimed(key)).rejects.toMatchObject({ ...inProgress, data: { headers: { 'Retry-After': '1' } } });
    instant = start + lease - 1500;
    const soon = { ...inProgress, data: { headers: { 'Retry-After': '2' } } };
    await expect(request(contextOf({ key }), input, counted())).rejects.toMatchObject(soon);
    instant = start + lease;
    await expect(request(contextOf({ key }), { body: {} }, counted())).rejects.toMatchObject({
      type: 'IDEMPOTENCY_MISMATCH',
    });
    expect(await request(contextOf({ key }), input, counted())).toEqual({ run: 1 });
  });

  test('is remembered for a day', async () => {
    const [key, work] = [randomUUID(), counted()];
    await request(contextOf({ key }), input, work);
    instant = start + day - 1;
    expect(await request(contextOf({ key }), input, work)).toEqual({ run: 1 });
    instant = start + day;
    expect(await request(contextOf({ key }), { body: 'other' }, work)).toEqual({ run: 2 });
  });

  test('is stored without its answer being readable', async () => {
    const key = randomUUID();
    await request(contextOf({ key }), input, () => Promise.resolve({ token: 'svc_live_secret' }));
    const stored = JSON.stringify(await records().find().toArray());
    expect(stored).not.toContain('secret');
    expect(stored).not.toContain(key);
  });
});

/** Repeats a request whose first one has just begun. */
async function untilClaimed(key: string): Promise<unknown> {
  await until(async () => (await records().countDocuments({ answer: null, leaseUntil: new Date(start + lease) })) > 0);
  return request(contextOf({ key }), input, counted());
}

describe('the sweep', () => {
  test('removes what has expired and nothing else', async () => {
    instant = start + 2 * day;
    await sweepIdempotencyRecords();
    const [old, young] = [randomUUID(), randomUUID()];
    await request(contextOf({ key: old }), input, counted());
    instant += 1;
    await request(contextOf({ key: young }), input, counted());
    instant += day - 1;
    expect(await sweepIdempotencyRecords()).toBe(1);
    expect(await records().countDocuments()).toBe(1);
    expect(await request(contextOf({ key: young }), input, counted([apiError('NOT_FOUND')]))).toEqual({ run: 1 });
  });
});
