import type { Logger } from 'moleculer';
import type { MongoClient } from 'mongodb';
import { now, second, setDatabaseAhead } from '../lib/data/clock.ts';

const measureEvery = 30 * second;
/** In milliseconds. A measurement with a longer round trip is too inaccurate. */
const maxRoundTrip = 2 * second;
const warnAbove = 10 * second;

/**
 * Follows the clock of a pool's database, which decides when a lease expires (`leaseNow` of lib/data/clock.ts). The
 * difference to this node's clock is measured before this resolves, and every half minute until the client is closed.
 * With a database that does not report its time, the node's clock remains in use.
 */
export async function followDatabaseClock(client: MongoClient, logger: Logger): Promise<void> {
  let hasWarned = false;
  const measure = async () => {
    const ahead = await measureAhead(client);
    if (ahead === null) return;
    setDatabaseAhead(ahead);
    if (Math.abs(ahead) > warnAbove && !hasWarned) {
      const [seconds, direction] = [Math.round(Math.abs(ahead) / second), ahead > 0 ? 'behind' : 'ahead of'];
      logger.warn(`The clock of this node is ${seconds} s ${direction} the database's. Synchronise it, as with NTP.`);
    }
    hasWarned = Math.abs(ahead) > warnAbove;
  };
  await measure();
  const timer = setInterval(() => void measure(), measureEvery).unref();
  client.once('topologyClosed', () => clearInterval(timer));
}

/** Null when the database does not answer, or not soon enough. */
async function measureAhead(client: MongoClient): Promise<number | null> {
  const startedAt = performance.now();
  try {
    const { localTime } = await client.db('admin').command({ hello: 1 });
    const roundTrip = performance.now() - startedAt;
    if (!(localTime instanceof Date) || roundTrip > maxRoundTrip) return null;
    // The time was read half a round trip ago.
    return Math.round(localTime.getTime() + roundTrip / 2 - now().getTime());
  } catch {
    return null;
  }
}
