import mongoose from 'mongoose';
import { findEmbeddedMongo, hasDatabase, startEmbeddedMongo } from '../embedded/mongo/index.ts';
import { isDatabaseUnreachable } from '../lib/data/database-errors.ts';
import { connectOptionsFor } from '../lib/settings/mongo-url.ts';
import { settings } from '../lib/settings/settings.ts';
import { StartError } from '../lib/settings/start-error.ts';
import { databaseFolder } from '../mixins/embedded-server.ts';
import { requireSecretKey } from './check-database.ts';

/**
 * Connects a command to the database of MONGO_URL, or to the embedded one of DATA_DIR, while it works. The command gets
 * the id of the database. `alone`: fails while a platform serves the embedded database.
 *
 * @throws StartError when the database does not exist, does not answer, or is encrypted under another SECRET_KEY; with
 * `alone` an Error with the code FOLDER_IN_USE.
 */
export async function withDatabase<T>(
  work: (database: string) => Promise<T>,
  { alone }: { alone: boolean },
): Promise<T> {
  const { url, close } = await open(alone);
  try {
    await mongoose.connect(url, connectOptionsFor(url));
    const { id } = await requireSecretKey();
    return await work(id);
  } catch (error) {
    if (!isDatabaseUnreachable(error)) throw error;
    throw new StartError(`The database does not answer: ${error instanceof Error ? error.message : error}.`, {
      cause: error,
    });
  } finally {
    await mongoose.disconnect();
    await close();
  }
}

async function open(alone: boolean): Promise<{ url: string; close: () => Promise<void> }> {
  const notOurs = async () => undefined;
  if (settings.MONGO_URL) return { url: settings.MONGO_URL.reveal(), close: notOurs };
  const dir = databaseFolder(settings.DATA_DIR);
  if (!hasDatabase(dir)) throw new StartError(`There is no database in ${dir}.`);
  const running = alone ? null : await findEmbeddedMongo(dir);
  return running === null ? await startEmbeddedMongo({ dir }) : { url: running, close: notOurs };
}
