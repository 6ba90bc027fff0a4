import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import mongoose from 'mongoose';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import { setClock } from '../../../lib/clock.ts';
import { daily, everyMinutes, runIfDue, type Schedule } from '../../../mixins/cron.ts';
import { quietLogger } from '../../support/quiet-logger.ts';

const dir = mkdtempSync(join(tmpdir(), 'cron-'));
const start = Date.parse('2030-01-01T10:20:00.000Z');
const minute = 60_000;
let database: EmbeddedMongo;
let instant = start;
let restoreClock = (): void => undefined;

beforeAll(async () => {
  database = await startEmbeddedMongo({ dir });
  await mongoose.connect(database.url, { dbName: 'cron' });
  restoreClock = setClock(() => new Date(instant));
});

afterAll(async () => {
  restoreClock();
  await mongoose.disconnect();
  await database.close();
  rmSync(dir, { recursive: true });
});

beforeEach(async () => {
  instant = start;
  await mongoose.connection.collection('scheduled_jobs').deleteMany({});
});

/** A node that looks at a schedule. */
function nodeNamed(owner: string, schedule: Schedule): () => Promise<void> {
  const worker = { owner, logger: quietLogger, settled: new Map(), signal: new AbortController().signal };
  return () => runIfDue(schedule, worker);
}

function hourly(run: Schedule['run']): Schedule {
  return { name: 'test.hourly', period: everyMinutes(60), run };
}

describe('the periods', () => {
  test('begin on whole minutes of the day and at midnight UTC', () => {
    const when = new Date('2030-03-31T13:47:12.345Z');
    expect(everyMinutes(15)(when).toISOString()).toBe('2030-03-31T13:45:00.000Z');
    expect(everyMinutes(60)(when).toISOString()).toBe('2030-03-31T13:00:00.000Z');
    expect(daily(when).toISOString()).toBe('2030-03-31T00:00:00.000Z');
  });
});

describe('scheduled work', () => {
  test('is done once in a period, whoever looks and however often', async () => {
    const periods: string[] = [];
    const schedule = hourly((period) => Promise.resolve(periods.push(period.toISOString())));
    const nodes = ['one', 'two', 'three'].map((owner) => nodeNamed(owner, schedule));
    await Promise.all([...nodes, ...nodes].map((look) => look()));
    instant += 30 * minute;
    await Promise.all(nodes.map((look) => look()));
    expect(periods).toEqual(['2030-01-01T10:00:00.000Z']);
    instant += 30 * minute;
    await Promise.all(nodes.map((look) => look()));
    expect(periods).toEqual(['2030-01-01T10:00:00.000Z', '2030-01-01T11:00:00.000Z']);
  });

  test('that fails is tried again by anybody once its lease has ended, five times in all', async () => {
    let attempts = 0;
    const schedule = hourly(() => {
      attempts += 1;
      return Promise.reject(new Error('no'));
    });
    const [one, two] = [nodeNamed('one', schedule), nodeNamed('two', schedule)];
    await one();
    await two();
    expect(attempts).toBe(1);
    for (let round = 0; round < 7; round += 1) {
      instant += 3 * minute;
      await two();
      await one();
    }
    expect(attempts).toBe(5);
  });

  test('of a node that died is taken over', async () => {
    const dead = nodeNamed(
      'dead',
      hourly(() => new Promise(() => undefined)),
    );
    void dead();
    const jobs = mongoose.connection.collection('scheduled_jobs');
    while ((await jobs.countDocuments({ leaseOwner: 'dead' })) === 0);
    const done: Date[] = [];
    const heir = nodeNamed(
      'heir',
      hourly((period) => Promise.resolve(done.push(period))),
    );
    await heir();
    expect(done).toEqual([]);
    instant += 3 * minute;
    await heir();
    await heir();
    expect(done).toHaveLength(1);
  });
});
