import { setTimeout as wait } from 'node:timers/promises';
import mongoose from 'mongoose';
import { insertUnlessThere } from '../../lib/insert-unless-there.ts';
import { createTimetable } from '../../mixins/cron/timetable.ts';
import { everyMinutes } from '../../mixins/cron.ts';
import { quietLogger } from './quiet-logger.ts';

/*
 * A node that does scheduled work, as an entry of its own: `cron-node.ts <database url> <name> <organizations> <lease>`.
 * In each period it makes one document of `effects` for each organization, and says `did` for each, `done` when it has
 * made all of them, and `aborted` when it is told to end.
 */

const [url = '', owner = '', organizations = '', lease = ''] = process.argv.slice(2);
await mongoose.connect(url, { dbName: 'cron', autoIndex: false });
const effects = { collection: mongoose.connection.collection('effects') };
const say = (word: string) => process.stdout.write(`${word}\n`);

async function run(period: Date, signal: AbortSignal, token: number): Promise<void> {
  signal.addEventListener('abort', () => say('aborted'));
  for (let number = 0; number < Number(organizations); number += 1) {
    if (signal.aborted) return;
    const _id = `${period.toISOString()} ${String(number).padStart(3, '0')}`;
    await insertUnlessThere<{ _id: string; owner: string; token: number }>(effects, { _id, owner, token });
    say('did');
    await wait(2);
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
  await wait(50);
}
