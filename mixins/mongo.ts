import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { Logger, Service, ServiceSchema } from 'moleculer';
import type { TopologyDescription } from 'mongodb';
import mongoose from 'mongoose';
import type { EmbeddedMongo } from '../embedded/mongo/index.ts';
import { isStartFailure } from '../embedded/mongo/start-failure.ts';
import { concurrently } from '../lib/concurrency/concurrently.ts';
import { apiError } from '../lib/contract/errors.ts';
import { isDatabaseUnreachable } from '../lib/data/database-errors.ts';
import { watchDisk } from '../lib/data/disk-space.ts';
import { mebibyte } from '../lib/format/bytes.ts';
import { connectOptionsFor } from '../lib/settings/mongo-url.ts';
import { settings } from '../lib/settings/settings.ts';
import { StartError } from '../lib/settings/start-error.ts';
import { followDatabaseClock } from './database-clock.ts';
import { embeddedServer } from './embedded-server.ts';
import { ensureIndexes, type IndexedModel } from './mongo-indexes.ts';
import { watchPool } from './mongo-operations.ts';
import { watchServerMonitors } from './mongo-watchdog.ts';

// Without a connection a query fails instead of waiting in a buffer.
mongoose.set('bufferCommands', false);
mongoose.set('strictQuery', 'throw');

const pauseBetweenAttempts = 500;
/** The number of collections of a service whose indexes are created concurrently. */
const collectionConcurrency = 4;

let users = 0;
let opening: Promise<void> | undefined;
let embedded: EmbeddedMongo | undefined;
let hasServer = false;
let check: (logger: Logger) => Promise<void> = async () => {};

type Models = IndexedModel[];

/**
 * The lifecycle of the process's database connection: the first service that starts opens it, the last that stops
 * closes it. It is the last of a service's mixins, which Moleculer starts from the last to the first and stops in the
 * opposite order, so that the other mixins start after it and stop before it. Starting waits until the database answers
 * and the models' indexes exist, or are being built. While the database is unreachable, every call is rejected
 * immediately.
 */
export function mongo(...models: Models): Partial<ServiceSchema> {
  return { hooks: { before: { '*': requireDatabase } }, ...mongoLifecycle(...models) };
}

/** The lifecycle of {@link mongo} without rejecting calls, for a service that can answer from memory. */
export function mongoLifecycle(...models: Models): Partial<ServiceSchema> {
  const mine = new WeakSet<Service>();
  return {
    async started(this: Service) {
      users += 1;
      mine.add(this);
      opening ??= open(this.logger);
      await opening;
      await ensureAll(models, this.logger);
    },
    async stopped(this: Service) {
      // A service that failed before its start opened the connection must not close it.
      if (!mine.delete(this)) return;
      users -= 1;
      if (users === 0) await close();
    },
  };
}

/** Creates only the indexes, for a service that does work between the opening of the database and the indexes. */
export function mongoIndexes(...models: Models): Partial<ServiceSchema> {
  return {
    started(this: Service) {
      return ensureAll(models, this.logger);
    },
  };
}

/**
 * Creates indexes a few collections at a time, from the next turn on: work that a service starts before is not delayed.
 */
async function ensureAll(models: Models, logger: Logger): Promise<void> {
  if (models.length === 0) return;
  await nextTurn();
  const options = { logger, together: !settings.MONGO_URL };
  await concurrently(models, collectionConcurrency, (model) => ensureIndexes(model, options));
}

/**
 * Whether the driver has a writable server; true in a process that needs none. Mongoose's `readyState` is also false
 * after two seconds without a heartbeat, which after a pause of this process does not mean that the database is gone.
 */
export function isDatabaseConnected(): boolean {
  return users === 0 || hasServer;
}

function takesWrites({ type, servers }: TopologyDescription): boolean {
  if (type === 'ReplicaSetNoPrimary') return false;
  return [...servers.values()].some((server) => server.type !== 'Unknown');
}

/** Rejects calls immediately while the database is known to be unreachable, instead of waiting for it. */
function requireDatabase(): void {
  if (!isDatabaseConnected()) throw apiError('UNAVAILABLE');
}

/**
 * Sets the check of a newly opened database. No service uses the database before the check has resolved; a rejection
 * aborts the start.
 */
export function checkOnOpen(replacement: typeof check): void {
  check = replacement;
}

/** Opens, checks and closes the database in a process whose services do not use it. */
export async function checkUnusedDatabase(logger: Logger): Promise<void> {
  if (users > 0) return;
  users += 1;
  opening ??= open(logger);
  try {
    await opening;
  } finally {
    users -= 1;
    if (users === 0) await close();
  }
}

async function open(logger: Logger): Promise<void> {
  await connect(settings.MONGO_URL?.reveal() ?? (await embeddedUrl()), logger);
  for (;;) {
    try {
      return await check(logger);
    } catch (error) {
      if (users === 0 || !isDatabaseUnreachable(error)) throw error;
      await wait(pauseBetweenAttempts);
    }
  }
}

async function connect(url: string, logger: Logger): Promise<void> {
  for (;;) {
    try {
      const connecting = mongoose.connect(url, connectOptionsFor(url));
      const client = mongoose.connection.getClient();
      watchPool(client);
      client.on('topologyDescriptionChanged', ({ newDescription }) => {
        hasServer = takesWrites(newDescription);
      });
      watchServerMonitors(client, () => void reconnect(url, logger));
      await connecting;
      // A node with the embedded database runs on the same machine, with the same clock.
      if (settings.MONGO_URL) await followDatabaseClock(client, logger);
      return;
    } catch (error) {
      if (users === 0) throw error;
      logger.warn(`The database does not answer yet: ${error instanceof Error ? error.message : error}`);
      await wait(pauseBetweenAttempts);
    }
  }
}

async function reconnect(url: string, logger: Logger): Promise<void> {
  logger.warn('The driver no longer looks for the database; reconnecting.');
  try {
    await mongoose.disconnect();
    if (users > 0) await connect(url, logger);
  } catch (error) {
    logger.error('Could not reconnect to the database', error);
  }
}

async function close(): Promise<void> {
  opening = undefined;
  await mongoose.disconnect();
  await embedded?.close();
  embedded = undefined;
}

async function embeddedUrl(): Promise<string> {
  try {
    embedded = await embeddedServer(settings.DATA_DIR);
    watchDisk(settings.DATA_DIR, settings.DISK_RESERVE_MIB * mebibyte);
    return embedded.url;
  } catch (error) {
    if (isStartFailure(error)) throw new StartError(error.message, { cause: error });
    throw error;
  }
}
