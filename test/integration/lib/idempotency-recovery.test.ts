import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import mongoose from 'mongoose';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import type { Ctx } from '../../../lib/contract/context.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import type { Operation } from '../../../lib/contract/idempotency.ts';
import { setClock } from '../../../lib/data/clock.ts';
import { propertyCases } from '../../support/property-cases.ts';

const folder = mkdtempSync(join(tmpdir(), 'idempotency-recovery-'));
process.env.DATA_DIR = folder;
const { replayOrRun } = await import('../../../lib/contract/idempotency.ts');

const start = Date.parse('2030-01-01T00:00:00.000Z');
const lease = 30_000;
let database: EmbeddedMongo;
let instant = start;
let restoreClock = (): void => undefined;

beforeAll(async () => {
  database = await startEmbeddedMongo({ dir: join(folder, 'mongo') });
  await mongoose.connect(database.url, { dbName: 'idempotency' });
  restoreClock = setClock(() => new Date(instant));
});

afterAll(async () => {
  restoreClock();
  await mongoose.disconnect();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

type Thing = { _id: string; owner: string; secret: string };
type Made = { id: string; secret: string };
/** Where a run fails or stops: before its insert, after it, or not at all. */
type Place = 'before' | 'after';
type Fault = { at: Place; how: 'fails' | 'stops' | 'is refused' } | null;

const things = () => mongoose.connection.collection<Thing>('things');
const records = () => mongoose.connection.collection('idempotency_records');

function contextOf(key: string): Ctx {
  const caller = { type: 'application', id: 'app_1', orgId: 'org_1', scopes: ['svc:write'], keyId: 'key_1' };
  const broker = { logger: { warn: () => undefined } };
  return { action: { name: 'shop.order' }, meta: { caller, idempotencyKey: key }, broker } as never;
}

/** A client with one key, and runs of its request that a test lets fail, stop and go on. */
function newClient() {
  const [key, owner] = [randomUUID(), randomUUID()];
  const stopped: (() => void)[] = [];
  const outcomes: Promise<unknown>[] = [];

  async function pass(place: Place, fault: Fault): Promise<void> {
    if (fault?.at !== place) return;
    if (fault.how === 'fails') throw new Error('The connection was lost.');
    if (fault.how === 'is refused') throw apiError('RATE_LIMITED');
    await new Promise<void>((resolve) => stopped.push(resolve));
  }

  const toThing = (operation: Operation): Thing => ({
    _id: operation.newId('app'),
    owner,
    secret: operation.secretBytes('thing', 20).toString('hex'),
  });

  /** Sends the request, whose run meets this fault. */
  function send(fault: Fault = null, onStop: () => void = () => undefined) {
    const ctx = contextOf(key);
    const sent = replayOrRun(
      ctx,
      { body: { owner } },
      {
        status: 201,
        isPersonal: false,
        async resume(operation) {
          const { _id, secret } = toThing(operation);
          return (await things().findOne({ _id })) && { id: _id, secret };
        },
        async run(operation) {
          if (fault?.how === 'stops' && fault.at === 'before') onStop();
          await pass('before', fault);
          const thing = toThing(operation);
          await things()
            .insertOne({ ...thing })
            .catch((error) => {
              throw error.code === 11000 ? apiError('SLUG_TAKEN') : error;
            });
          if (fault?.how === 'stops' && fault.at === 'after') onStop();
          await pass('after', fault);
          return { id: thing._id, secret: thing.secret } satisfies Made;
        },
      },
    ).then(
      (answer) => ({ answer: answer as Made, isReplayed: ctx.meta.$responseHeaders?.['Idempotency-Replayed'] }),
      (error) => ({ error: (error.type ?? 'failed') as string }),
    );
    outcomes.push(sent);
    return sent;
  }

  /** Sends it and resolves once its run has stopped; it goes on with the next `goOn`. */
  async function sendAndStop(at: Place) {
    let sent: ReturnType<typeof send> | undefined;
    await new Promise<void>((resolve) => {
      sent = send({ at, how: 'stops' }, resolve);
      // A retry that finds the lease taken has no run.
      void sent.then(() => resolve());
    });
    return { sent: sent! };
  }

  return {
    send,
    sendAndStop,
    goOn: () => stopped.shift()?.(),
    made: () => things().find({ owner }).toArray(),
    async end() {
      for (const resolve of stopped.splice(0)) resolve();
      await Promise.all(outcomes);
    },
  };
}

describe('a run that failed', () => {
  test('after its insert is not repeated: the retry is given what it made', async () => {
    const client = newClient();
    expect(await client.send({ at: 'after', how: 'fails' })).toEqual({ error: 'failed' });
    const [thing] = await client.made();
    const answer = { id: thing!._id, secret: thing!.secret };
    expect(await client.send()).toEqual({ answer, isReplayed: 'true' });
    expect(await client.send({ at: 'before', how: 'fails' })).toEqual({ answer, isReplayed: 'true' });
    expect(await client.made()).toHaveLength(1);
  });

  test('before its insert is repeated once', async () => {
    const client = newClient();
    await client.send({ at: 'before', how: 'fails' });
    expect(await client.made()).toEqual([]);
    const first = await client.send();
    expect(first).toMatchObject({ isReplayed: undefined });
    expect(await client.send()).toEqual({ ...first, isReplayed: 'true' });
    expect(await client.made()).toHaveLength(1);
  });

  test('with a refusal after its insert has done its work', async () => {
    const client = newClient();
    const first = await client.send({ at: 'after', how: 'is refused' });
    expect(first).toMatchObject({ isReplayed: undefined, answer: { id: (await client.made())[0]!._id } });
    expect(await client.send()).toEqual({ ...first, isReplayed: 'true' });
  });

  test('with a refusal before its insert frees the key', async () => {
    const client = newClient();
    expect(await client.send({ at: 'before', how: 'is refused' })).toEqual({ error: 'RATE_LIMITED' });
    expect(await client.send()).toMatchObject({ isReplayed: undefined });
  });
});

describe('a run that lost its lease', () => {
  test.each<Place>(['before', 'after'])('%s its insert makes nothing beside what its successor made', async (at) => {
    const client = newClient();
    instant = start;
    const { sent: slow } = await client.sendAndStop(at);
    expect(await client.send()).toEqual({ error: 'IDEMPOTENCY_IN_PROGRESS' });
    instant += lease;
    const second = await client.send();
    expect(second).toMatchObject({ isReplayed: at === 'after' ? 'true' : undefined });
    client.goOn();
    expect(await slow).toMatchObject({ answer: (second as { answer: Made }).answer });
    expect(await client.made()).toHaveLength(1);
  });

  test('does not touch the record of its successor, which still runs', async () => {
    const client = newClient();
    instant = start;
    const { sent: slow } = await client.sendAndStop('before');
    instant += lease;
    const { sent: second } = await client.sendAndStop('before');
    const running = await records().findOne({ runs: 2, state: 'running' });
    client.goOn();
    await slow;
    expect(await records().findOne({ _id: running!._id })).toEqual(running);
    expect(await client.send()).toEqual({ error: 'IDEMPOTENCY_IN_PROGRESS' });
    client.goOn();
    const { answer } = (await slow) as { answer: Made };
    expect(await second).toMatchObject({ answer });
    expect(await client.made()).toHaveLength(1);
  });

  test('and is followed by a refusal keeps the key, for it may still do its work', async () => {
    const client = newClient();
    instant = start;
    const { sent: slow } = await client.sendAndStop('before');
    instant += lease;
    expect(await client.send({ at: 'before', how: 'is refused' })).toEqual({ error: 'RATE_LIMITED' });
    client.goOn();
    const { answer } = (await slow) as { answer: Made };
    expect(await client.send()).toEqual({ answer, isReplayed: 'true' });
    expect(await client.made()).toHaveLength(1);
  });
});

const step = fc.oneof(
  fc.record({
    kind: fc.constant('send' as const),
    fault: fc.option(
      fc.record({
        at: fc.constantFrom<Place>('before', 'after'),
        how: fc.constantFrom('fails' as const, 'stops' as const),
      }),
    ),
  }),
  fc.record({ kind: fc.constant('goOn' as const) }),
  fc.record({ kind: fc.constant('leaseEnds' as const) }),
);

test('whatever fails, stops and goes on, one thing is made, and every answer is of it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const client = newClient();
      const sent: Promise<unknown>[] = [];
      for (const taken of steps) {
        if (taken.kind === 'goOn') client.goOn();
        else if (taken.kind === 'leaseEnds') instant += lease;
        else if (taken.fault?.how === 'stops') sent.push((await client.sendAndStop(taken.fault.at)).sent);
        else sent.push(client.send(taken.fault));
      }
      await client.end();
      instant += lease;
      const last = (await client.send()) as { answer: Made };
      const made = await client.made();
      expect(made).toHaveLength(1);
      expect(last.answer).toEqual({ id: made[0]!._id, secret: made[0]!.secret });
      for (const outcome of (await Promise.all(sent)) as { answer?: Made; error?: string }[]) {
        if (outcome.answer) expect(outcome.answer).toEqual(last.answer);
        else expect(['failed', 'IDEMPOTENCY_IN_PROGRESS']).toContain(outcome.error);
      }
    }),
    { numRuns: propertyCases(40, 1_500), endOnFailure: true },
  );
});
