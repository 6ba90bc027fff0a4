import { randomUUID } from 'node:crypto';
import type { Logger } from 'moleculer';
import type { Collection } from 'mongodb';
import mongoose from 'mongoose';
import { now } from '../lib/data/clock.ts';
import { isDuplicateKey } from '../lib/data/database-errors.ts';
import { decrypt, discardGeneratedKey, encrypt } from '../lib/security/encryption.ts';
import { settings } from '../lib/settings/settings.ts';
import { StartError } from '../lib/settings/start-error.ts';

/** The single document that identifies the database. */
type DatabaseRecord = {
  _id: 'database';
  /** The id of this database, the same for all nodes of its pool. */
  id: string;
  /** The id, encrypted: only the SECRET_KEY of the platform decrypts it. */
  sealed: string;
  createdAt: Date;
};

const purpose = 'platform.database';
const concurrentUpdates = 16;
const probes = 5;

/**
 * Checks the open database at the start of a process, and returns its id. An empty database gets its record.
 *
 * @throws StartError when its values are encrypted under another SECRET_KEY, or its updates are not atomic.
 */
export async function checkDatabase(logger: Pick<Logger, 'warn'>): Promise<string> {
  const { id } = await requireSecretKey();
  // The updates of the embedded database are known to be atomic.
  if (settings.MONGO_URL) await requireAtomicUpdates(logger);
  return id;
}

/** The record of the database, after the check that this process has the SECRET_KEY of the platform. */
export async function requireSecretKey(): Promise<DatabaseRecord> {
  const found = await records().findOne({ _id: 'database' });
  if (found && opens(purpose, found.sealed)) return found;
  if (found ? await isBound() : await isOfAnotherKey()) {
    discardGeneratedKey();
    throw new StartError(
      'SECRET_KEY is not the one that the platform of this database has. Set that one, or put the file secret-key of ' +
        'that platform into DATA_DIR.',
    );
  }
  return writeRecord(found);
}

/**
 * Whether the database is bound to the key of the record: until the first run is complete no data depends on it, and
 * the key of a process that died before may be lost. In a pool it is always bound, because other nodes may have that
 * key.
 */
async function isBound(): Promise<boolean> {
  if (settings.NATS_URL) return true;
  const run = await mongoose.connection.collection<{ _id: string; status: string }>('identity_first_runs').findOne({});
  return run === null || run.status === 'done';
}

/**
 * Whether a database of an earlier version, which has no record, uses another key. Its token signing key is encrypted
 * under the SECRET_KEY.
 */
async function isOfAnotherKey(): Promise<boolean> {
  const keys = mongoose.connection.collection<{ sealed: string }>('identity_signing_keys');
  const [newest] = await keys.find().sort({ sequence: -1 }).limit(1).toArray();
  return newest !== undefined && !opens('oauth.signing-key', newest.sealed);
}

/**
 * Writes the record of an empty database. Of concurrent starts one writes it, and the others check their key against
 * it.
 */
async function writeRecord(found: DatabaseRecord | null): Promise<DatabaseRecord> {
  const id = found?.id ?? randomUUID();
  const record: DatabaseRecord = { _id: 'database', id, sealed: encrypt(purpose, id), createdAt: now() };
  try {
    if (found) await records().replaceOne({ _id: 'database', sealed: found.sealed }, record);
    else await records().insertOne(record);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
  return requireSecretKey();
}

function opens(of: string, sealed: string): boolean {
  try {
    decrypt(of, sealed);
    return true;
  } catch {
    return false;
  }
}

/**
 * Sends concurrent updates of one document, half of which its guard must reject. Leases and quotas rely on this: on a
 * database that loses an update or applies one too many, mail is sent twice and paid limits are exceeded. Repeated,
 * because such a database may be lucky once, above all while it is busy.
 */
async function requireAtomicUpdates(logger: Pick<Logger, 'warn'>): Promise<void> {
  for (let probe = 0; probe < probes; probe += 1) {
    if (await isAtomic()) continue;
    const problem =
      'The database at MONGO_URL does not update a document atomically: concurrent updates of one document are lost';
    if (settings.NODE_ENV !== 'test') {
      throw new StartError(`${problem}. Use MongoDB, or another database whose updates are atomic.`);
    }
    logger.warn(`${problem}. It is accepted with NODE_ENV=test only.`);
    return;
  }
}

async function isAtomic(): Promise<boolean> {
  const documents = mongoose.connection.collection<{ _id: string; taken: number }>('platform_probes');
  const allowed = concurrentUpdates / 2;
  const _id = randomUUID();
  await documents.insertOne({ _id, taken: 0 });
  const update = () => documents.updateOne({ _id, taken: { $lt: allowed } }, { $inc: { taken: 1 } });
  const results = await Promise.all(Array.from({ length: concurrentUpdates }, update));
  const document = await documents.findOne({ _id });
  await documents.deleteOne({ _id });
  const applied = results.filter(({ modifiedCount }) => modifiedCount === 1).length;
  return applied === allowed && document?.taken === allowed;
}

function records(): Collection<DatabaseRecord> {
  return mongoose.connection.collection<DatabaseRecord>('platform_records');
}
