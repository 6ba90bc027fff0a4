import { setTimeout as wait } from 'node:timers/promises';
import mongoose from 'mongoose';
import { insertIfAbsent } from '../../lib/data/collection.ts';
import { everyMinutes } from '../../mixins/cron/cron.ts';
import { createTimetable } from '../../mixins/cron/timetable.ts';
import { quietLogger } from './quiet-logger.ts';
import { until } from './until.ts';

/*
 * A node that does scheduled work, as an entry of its own:
 * `cron-node.ts <database url> <name> <organizations> <lease> <last>`. In each period it makes one document of `effects`
 * for each organization, and says `did` for each, `done` when it has made all of them, and `aborted` when it is told to
 * end. At its `last` document it stands still, still at work, until it is told to end; with `last` 0 it does not.
 */

/** Milliseconds. */
const lookEvery = 20;
const [url = '', owner = '', organizations = '', lease = '', last = ''] = process.argv.slice(2);
await mongoose.connect(url, { dbName: 'cron', autoIndex: false });
const effects = { collection: mongoose.connection.collection('effects') };
const say = (word: string) => process.stdout.write(`${word}\n`);
let made = 0;

async function run(period: Date, signal: AbortSignal, token: number): Promise<void> {
  signal.addEventListener('abort', () => say('aborted'));
  for (let number = 0; number < Number(organizations); number += 1) {
    if (signal.aborted) return;
    const _id = `${period.toISOString()} ${String(number).padStart(3, '0')}`;
    await insertIfAbsent<{ _id: string; owner: string; token: number }>(effects, { _id, owner, token });
    say('did');
    made += 1;
    if (made === Number(last)) await until(() => signal.aborted, Number.POSITIVE_INFINITY);
  }
  say('done');
}

const timetable = createTimetable([{ name: 'test.hourly', period: everyMinutes(60), catchUp: true, run }], {
  owner,
  logger: quietLogger,
  leaseTime: Number(lease),
});
say('ready');
for (;;) {
  await timetable.look();
  await wait(lookEvery);
}
