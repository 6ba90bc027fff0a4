import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ServiceBroker } from 'moleculer';
import mongoose from 'mongoose';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import { setClock } from '../../../lib/data/clock.ts';
import { cron, daily, describeJobs, everyMinutes, monthly, runJob, type Schedule } from '../../../mixins/cron/cron.ts';
import { isRequestedBy, requestRun } from '../../../mixins/cron/jobs.ts';
import { duePeriod } from '../../../mixins/cron/schedule.ts';
import { createTimetable, type Timetable } from '../../../mixins/cron/timetable.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { until } from '../../support/until.ts';

const dir = mkdtempSync(join(tmpdir(), 'cron-'));
const start = Date.parse('2030-01-01T10:20:00.000Z');
const minute = 60_000;
const hour = 60 * minute;
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
  await mongoose.connection.collection('scheduled_job_tokens').deleteMany({});
});

const nodes: Timetable[] = [];
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
});

/** A node with one schedule. */
function nodeNamed(owner: string, schedule: Schedule, leaseTime?: number): Timetable {
  const worker = { owner, logger: quietLogger, ...(leaseTime && { leaseTime }) };
  const node = createTimetable([schedule], worker);
  nodes.push(node);
  return node;
}

function hourly(run: Schedule['run'], catchUp = false): Schedule {
  return { name: 'test.hourly', period: everyMinutes(60), run, catchUp };
}

/** A schedule that notes the hours it was run for. */
function noting(catchUp = false) {
  const done: string[] = [];
  const schedule = hourly((period) => Promise.resolve(done.push(period.toISOString().slice(0, 13))), catchUp);
  return { done, schedule };
}

const stateOf = async (node: Timetable) => (await node.describe())[0]!;
const never = () => new Promise<never>(() => undefined);

describe('the periods', () => {
  test('begin on whole minutes of the day, at midnight and on the first of the month, by UTC', () => {
    const when = new Date('2030-03-31T13:47:12.345Z');
    expect(everyMinutes(15).of(when).toISOString()).toBe('2030-03-31T13:45:00.000Z');
    expect(everyMinutes(60).of(when).toISOString()).toBe('2030-03-31T13:00:00.000Z');
    expect(daily.of(when).toISOString()).toBe('2030-03-31T00:00:00.000Z');
    expect(monthly.of(when).toISOString()).toBe('2030-03-01T00:00:00.000Z');
    expect(monthly.after(new Date('2029-12-01T00:00:00.000Z')).toISOString()).toBe('2030-01-01T00:00:00.000Z');
  });

  test('follow one another without a gap, at any time', () => {
    const times = fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(times, fc.constantFrom(everyMinutes(1), everyMinutes(60), daily, monthly), (at, period) => {
        const begin = period.of(at);
        const end = period.after(begin);
        expect(begin <= at && at < end).toBe(true);
        expect(period.of(end)).toEqual(end);
        expect(period.of(new Date(end.getTime() - 1))).toEqual(begin);
      }),
    );
  });
});

describe('scheduled work', () => {
  test('is done once in a period, whoever looks and however often', async () => {
    const { done, schedule } = noting();
    const three = ['one', 'two', 'three'].map((owner) => nodeNamed(owner, schedule));
    await Promise.all([...three, ...three].map((node) => node.look()));
    instant += 30 * minute;
    await Promise.all(three.map((node) => node.look()));
    expect(done).toEqual(['2030-01-01T10']);
    instant += 30 * minute;
    await Promise.all(three.map((node) => node.look()));
    expect(done).toEqual(['2030-01-01T10', '2030-01-01T11']);
  });

  test('gets a token that is higher than those before', async () => {
    const tokens: number[] = [];
    const schedule = hourly((_period, _signal, token) => Promise.resolve(tokens.push(token)));
    for (const owner of ['one', 'two', 'three']) {
      await nodeNamed(owner, schedule).look();
      instant += hour;
    }
    expect(tokens).toHaveLength(3);
    expect(tokens).toEqual([...new Set(tokens)].sort((one, other) => one - other));
  });

  test('begins with the present, and does only that after nobody could', async () => {
    const { done, schedule } = noting();
    await nodeNamed('one', schedule).look();
    instant += 5 * hour;
    await nodeNamed('two', schedule).look();
    expect(done).toEqual(['2030-01-01T10', '2030-01-01T15']);
  });

  test('that stops with its node is done by the next one at once, as if it had not been begun', async () => {
    const begun = Promise.withResolvers<void>();
    const work: Schedule['run'] = (_period, signal) => {
      begun.resolve();
      return new Promise((resolve) => signal.addEventListener('abort', resolve));
    };
    const stopping = nodeNamed('stopping', hourly(work));
    void stopping.look();
    await begun.promise;
    expect(await stateOf(stopping)).toMatchObject({ runningOn: 'stopping' });
    await stopping.stop();
    const { done, schedule } = noting();
    const heir = nodeNamed('heir', schedule);
    expect(await stateOf(heir)).toMatchObject({ doneUpTo: null, runningOn: null, attempts: 0 });
    await heir.look();
    expect(done).toEqual(['2030-01-01T10']);
  });

  test('that is claimed by a node that stops is not begun there', async () => {
    const { done, schedule } = noting();
    const stopping = nodeNamed('stopping', schedule);
    const looking = stopping.look();
    await stopping.stop();
    await looking;
    expect(done).toEqual([]);
    expect(await stateOf(stopping)).toMatchObject({ doneUpTo: null, runningOn: null, attempts: 0 });
  });
});

describe('scheduled work that fails', () => {
  /** Two nodes that look every quarter of a minute. */
  async function pass(milliseconds: number, ...looking: Timetable[]): Promise<void> {
    for (const end = instant + milliseconds; instant < end; instant += minute / 4) {
      for (const node of looking) await node.look();
    }
  }

  test('is tried again with growing pauses, for as long as it takes, and shows why', async () => {
    const attempts: number[] = [];
    let isFailing = true;
    const schedule: Schedule = {
      name: 'test.daily',
      period: daily,
      run: () => {
        attempts.push(instant);
        return isFailing ? Promise.reject(new Error('No ink.')) : Promise.resolve();
      },
    };
    const [one, two] = [nodeNamed('one', schedule), nodeNamed('two', schedule)];
    await pass(2 * hour, one, two);
    const pauses = attempts.slice(1).map((at, place) => (at - attempts[place]!) / minute);
    expect(pauses).toEqual([0.25, 0.5, 1, 2, 4, 8, 15, 15, 15, 15, 15, 15]);
    expect(await stateOf(one)).toMatchObject({
      doneUpTo: null,
      runningOn: null,
      attempts: attempts.length,
      lastError: 'No ink.',
      next: new Date(attempts.at(-1)! + 15 * minute).toISOString(),
    });
    isFailing = false;
    await pass(15 * minute, one, two);
    expect(attempts).toHaveLength(pauses.length + 2);
    expect(await stateOf(two)).toMatchObject({ doneUpTo: '2030-01-01T00:00:00.000Z', attempts: 0, lastError: null });
  });

  test('is tried with the next period at the latest, where only the present one counts', async () => {
    const tried: string[] = [];
    const schedule = hourly((period) => {
      tried.push(period.toISOString());
      return Promise.reject(new Error('no'));
    });
    const node = nodeNamed('one', schedule);
    await pass(39 * minute, node);
    const before = tried.length;
    instant = Date.parse('2030-01-01T11:00:00.000Z');
    await node.look();
    expect(tried).toHaveLength(before + 1);
    expect(tried.at(-1)).toBe('2030-01-01T11:00:00.000Z');
    expect(await stateOf(node)).toMatchObject({ attempts: before + 1 });
  });
});

describe('scheduled work that catches up', () => {
  test('does every period that was missed, in order, once', async () => {
    const { done, schedule } = noting(true);
    await nodeNamed('one', schedule).look();
    instant += 4 * hour;
    const later = ['two', 'three', 'four'].map((owner) => nodeNamed(owner, schedule));
    await Promise.all([...later, ...later].map((node) => node.look()));
    await Promise.all(later.map((node) => node.look()));
    expect(done).toEqual(['10', '11', '12', '13', '14'].map((one) => `2030-01-01T${one}`));
  });

  test('begins with the present where there is nothing before', async () => {
    const { done, schedule } = noting(true);
    await nodeNamed('one', schedule).look();
    expect(done).toEqual(['2030-01-01T10']);
  });

  test('keeps later periods waiting for one that fails', async () => {
    const done: string[] = [];
    let isFailing = true;
    const schedule = hourly((period) => {
      const name = period.toISOString().slice(11, 13);
      if (name === '12' && isFailing) return Promise.reject(new Error('no'));
      return Promise.resolve(done.push(name));
    }, true);
    const node = nodeNamed('one', schedule);
    await node.look();
    instant += 4 * hour;
    await node.look();
    await node.look();
    expect(done).toEqual(['10', '11']);
    expect(await stateOf(node)).toMatchObject({ doneUpTo: '2030-01-01T11:00:00.000Z', attempts: 1 });
    isFailing = false;
    instant += minute;
    await node.look();
    expect(done).toEqual(['10', '11', '12', '13', '14']);
  });

  test('goes back 400 days and no further', () => {
    const { schedule } = noting(true);
    const years = { ...schedule, period: daily };
    const doneUpTo = new Date('2020-01-01T00:00:00.000Z');
    const due = duePeriod(years, { doneUpTo }, new Date(start));
    expect(due?.toISOString()).toBe('2028-11-27T00:00:00.000Z');
    expect((start - due!.getTime()) / (24 * hour)).toBeLessThan(401);
  });
});

describe('a node that died', () => {
  test('is followed by another, when it has given no sign of life for a minute', async () => {
    const dead = nodeNamed('dead', hourly(never));
    nodes.length = 0;
    void dead.look();
    const { done, schedule } = noting();
    const heir = nodeNamed('heir', schedule);
    await until(async () => (await stateOf(heir)).runningOn === 'dead');
    await heir.look();
    instant += 59_000;
    await heir.look();
    expect(done).toEqual([]);
    instant += 1000;
    await heir.look();
    await heir.look();
    expect(done).toEqual(['2030-01-01T10']);
  });

  test('before it came to begin is passed over after a minute', async () => {
    const { done, schedule } = noting();
    const node = nodeNamed('one', schedule);
    await node.look();
    instant += hour;
    const jobs = mongoose.connection.collection<{ _id: string; token: number }>('scheduled_jobs');
    const { token } = (await jobs.findOne({ _id: 'test.hourly' }))!;
    const tokens = mongoose.connection.collection<{ _id: string }>('scheduled_job_tokens');
    const taken = [1, 2].map((more) => ({
      _id: `test.hourly ${token + more}`,
      name: 'test.hourly',
      token: token + more,
    }));
    await tokens.insertMany(taken);
    await node.look();
    instant += 59_000;
    await node.look();
    expect(done).toEqual(['2030-01-01T10']);
    instant += 1000;
    await node.look();
    expect(done).toEqual(['2030-01-01T10', '2030-01-01T11']);
    expect(await tokens.countDocuments()).toBe(1);
  });

  test('is not taken for dead while it shows that it lives, whatever its clock says', async () => {
    let end = (): void => undefined;
    const { done, schedule } = noting();
    const busy = nodeNamed(
      'busy',
      hourly(() => new Promise<void>((resolve) => (end = resolve))),
      200,
    );
    const looking = busy.look();
    const other = nodeNamed('other', schedule, 200);
    await until(async () => (await stateOf(other)).runningOn === 'busy');
    const jobs = mongoose.connection.collection<{ _id: string; beat: number }>('scheduled_jobs');
    for (let round = 0; round < 3; round += 1) {
      await other.look();
      const { beat } = (await jobs.findOne({ _id: 'test.hourly' }))!;
      await until(async () => (await jobs.findOne({ _id: 'test.hourly' }))!.beat > beat);
      instant += 10 * minute;
      await other.look();
    }
    expect(done).toEqual([]);
    end();
    await looking;
    expect(await stateOf(other)).toMatchObject({ doneUpTo: '2030-01-01T10:00:00.000Z', runningOn: null });
  });

  test('and comes back learns that the work is another’s: it is told to end, and cannot say that it is done', async () => {
    let wasAborted = false;
    let end = (): void => undefined;
    const slow = nodeNamed(
      'slow',
      hourly((_period, signal) => {
        signal.addEventListener('abort', () => (wasAborted = true));
        return new Promise<void>((resolve) => (end = resolve));
      }),
      200,
    );
    const looking = slow.look();
    const { schedule } = noting();
    const heir = nodeNamed('heir', { ...schedule, run: () => Promise.reject(new Error('not yet')) }, 200);
    await until(async () => (await stateOf(heir)).runningOn === 'slow');
    // It shows no sign of life that the heir would see, as if it hung.
    const jobs = mongoose.connection.collection<{ _id: string; token: number }>('scheduled_jobs');
    await jobs.updateOne({ _id: 'test.hourly' }, { $inc: { token: 1 } });
    await heir.look();
    instant += minute;
    await heir.look();
    await until(() => wasAborted);
    end();
    await looking;
    expect(await stateOf(heir)).toMatchObject({ doneUpTo: null, runningOn: null, attempts: 2, lastError: 'not yet' });
  });
});

describe('clocks', () => {
  test('that differ by 90 s at midnight make no second run', async () => {
    const done: [string, string][] = [];
    const midnight = Date.parse('2030-01-02T00:00:00.000Z');
    const nodeWith = (owner: string, ahead: number) => {
      const schedule: Schedule = {
        name: 'test.daily',
        period: daily,
        catchUp: true,
        run: (period) => Promise.resolve(done.push([owner, period.toISOString()])),
      };
      const node = nodeNamed(owner, schedule);
      return async (at: number) => {
        instant = at + ahead;
        await node.look();
      };
    };
    const looks = [nodeWith('fast', 90_000), nodeWith('right', 0), nodeWith('slow', -90_000)];
    for (let at = midnight - 5 * minute; at < midnight + 5 * minute; at += 15_000)
      for (const look of looks) await look(at);
    expect(done).toEqual([
      ['fast', '2030-01-01T00:00:00.000Z'],
      ['fast', '2030-01-02T00:00:00.000Z'],
    ]);
  });

  test('that were years ahead keep nothing from being done once they are right', async () => {
    const { done, schedule } = noting(true);
    instant += 9 * 365 * 24 * hour;
    const node = nodeNamed('one', schedule);
    await node.look();
    instant = start;
    await node.look();
    await node.look();
    instant += hour;
    await node.look();
    expect(done.slice(1)).toEqual(['2030-01-01T10', '2030-01-01T11']);
  });

  test('that were years ahead when work failed do not make it wait for years', async () => {
    let attempts = 0;
    const schedule = hourly(() => {
      attempts += 1;
      return Promise.reject(new Error('no'));
    });
    const node = nodeNamed('one', schedule);
    await node.look();
    const jobs = mongoose.connection.collection<{ _id: string }>('scheduled_jobs');
    await jobs.updateOne({ _id: 'test.hourly' }, { $set: { retryAt: new Date('2039-01-01') } });
    await node.look();
    expect(attempts).toBe(2);
  });
});

describe('work that is requested out of turn', () => {
  const request = () => requestRun('test.hourly', 'operation');

  test('is done for the last period again, once, by the nodes that are woken', async () => {
    const { done, schedule } = noting();
    const [one, two] = [nodeNamed('one', schedule), nodeNamed('two', schedule)];
    await one.look();
    await two.look();
    expect(done).toEqual(['2030-01-01T10']);
    expect(await isRequestedBy('test.hourly', 'operation')).toBe(false);
    expect(await request()).toBe(true);
    expect(await stateOf(one)).toMatchObject({ next: null, doneUpTo: '2030-01-01T10:00:00.000Z' });
    await Promise.all([one.wake('test.hourly'), two.wake('test.hourly')]);
    expect(done).toEqual(['2030-01-01T10', '2030-01-01T10']);
    await Promise.all([one.wake('test.hourly'), two.wake('test.hourly')]);
    expect(done).toHaveLength(2);
    expect(await stateOf(two)).toMatchObject({ next: '2030-01-01T11:00:00.000Z', runningOn: null });
    expect(await isRequestedBy('test.hourly', 'operation')).toBe(true);
    instant += hour;
    await one.look();
    expect(done.slice(2)).toEqual(['2030-01-01T11']);
  });

  test('does not skip missed periods', async () => {
    const { done, schedule } = noting(true);
    const node = nodeNamed('one', schedule);
    await node.look();
    instant += 3 * hour;
    await request();
    await node.wake('test.hourly');
    expect(done).toEqual(['10', '11', '12', '13'].map((at) => `2030-01-01T${at}`));
  });

  test('is refused while a node does it', async () => {
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const work = () => {
      begun.resolve();
      return ended.promise;
    };
    const node = nodeNamed('one', hourly(work));
    const looking = node.look();
    await begun.promise;
    expect(await request()).toBe(false);
    ended.resolve();
    await looking;
    expect(await request()).toBe(true);
  });

  test('does not wait for the backoff of a failure, and is not repeated when it fails', async () => {
    const outcomes = [Promise.reject(new Error('No paper.')), Promise.resolve(), Promise.reject(new Error('No ink.'))];
    let runs = 0;
    const node = nodeNamed(
      'one',
      hourly(() => {
        runs += 1;
        return outcomes[runs - 1]!;
      }),
    );
    await node.look();
    await node.look();
    expect(runs).toBe(1);
    await request();
    await node.wake('test.hourly');
    expect(runs).toBe(2);
    expect(await stateOf(node)).toMatchObject({ lastError: null });
    await request();
    await node.wake('test.hourly');
    instant += 20 * minute;
    await node.look();
    expect(runs).toBe(3);
    expect(await stateOf(node)).toMatchObject({ lastError: 'No ink.', next: '2030-01-01T11:00:00.000Z' });
  });

  test('remains due when its node stops, and is done by another that starts', async () => {
    let runs = 0;
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    const first = nodeNamed(
      'one',
      hourly((_period, signal) => {
        runs += 1;
        if (runs === 1) return Promise.resolve();
        resolve();
        return until(() => signal.aborted);
      }),
    );
    await first.look();
    await request();
    const woken = first.wake('test.hourly');
    await begun;
    await first.stop();
    await woken;
    const { done, schedule } = noting();
    await nodeNamed('two', schedule).look();
    expect(done).toEqual(['2030-01-01T10']);
  });
});

describe('work that is run by hand', () => {
  test('is done now, and once more on schedule', async () => {
    const { done, schedule } = noting();
    const node = nodeNamed('one', schedule);
    expect((await node.runByHand('test.hourly')).toISOString()).toBe('2030-01-01T10:00:00.000Z');
    await node.runByHand('test.hourly');
    expect(done).toHaveLength(2);
    expect(await node.describe()).toEqual([
      {
        name: 'test.hourly',
        doneUpTo: null,
        doneAt: null,
        next: null,
        runningOn: null,
        attempts: 0,
        lastError: null,
      },
    ]);
    await node.look();
    expect(done).toHaveLength(3);
  });

  test('says why it failed, and can be run again at once', async () => {
    const outcomes = [Promise.reject(new Error('No paper.')), Promise.resolve()];
    const node = nodeNamed(
      'one',
      hourly(() => outcomes.shift()!),
    );
    await expect(node.runByHand('test.hourly')).rejects.toThrow('No paper.');
    await node.runByHand('test.hourly');
  });

  test('is refused while somebody else is at it by hand, and where there is no such work', async () => {
    const begun = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const work = () => {
      begun.resolve();
      return ended.promise;
    };
    const [here, elsewhere] = [nodeNamed('here', hourly(work)), nodeNamed('elsewhere', hourly(work))];
    const running = here.runByHand('test.hourly');
    await expect(here.runByHand('test.hourly')).rejects.toThrow('being run by hand on this node');
    await begun.promise;
    await expect(elsewhere.runByHand('test.hourly')).rejects.toThrow('is already being run by here');
    ended.resolve();
    await running;
    await expect(here.runByHand('test.other')).rejects.toThrow('There is no scheduled work test.other here.');
  });
});

describe('a service with scheduled work', () => {
  const broker = new ServiceBroker({ logger: false, nodeID: 'here' });
  afterAll(() => broker.stop());

  test('is described and run by an operator on its node, until it stops', async () => {
    const run = () => Promise.resolve();
    const service = broker.createService({
      name: 'test',
      mixins: [cron({ name: 'test.one', period: daily, run }), cron({ name: 'test.two', period: daily, run })],
    });
    await broker.start();
    expect((await describeJobs(broker)).map(({ name }) => name).sort()).toEqual(['test.one', 'test.two']);
    expect((await runJob(broker, 'test.two')).toISOString()).toBe('2030-01-01T00:00:00.000Z');
    await broker.destroyService(service);
    expect(await describeJobs(broker)).toEqual([]);
    await expect(runJob(broker, 'test.two')).rejects.toThrow('There is no scheduled work test.two on here.');
  });
});
