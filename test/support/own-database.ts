import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { startEmbeddedMongo } from '../../embedded/mongo/index.ts';

/** An embedded database that one test file has for itself. */
export type OwnDatabase = {
  url: string;
  /** Ends the database, with Mongoose's connection where there is one, and removes its folder. */
  close: () => Promise<void>;
};

/** Starts an empty database, on the loopback port `port` where it is given: any free one for 0. */
export async function startOwnDatabase(options: { port?: number } = {}): Promise<OwnDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'own-database-'));
  const database = await startEmbeddedMongo({ dir: folder, ...options });
  return {
    url: database.url,
    async close() {
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts an empty database, connects Mongoose to it and makes the indexes of these models. */
export async function connectOwnDatabase(...models: { createIndexes: () => Promise<unknown> }[]): Promise<OwnDatabase> {
  const database = await startOwnDatabase();
  mongoose.set('strictQuery', 'throw');
  // Some tests count what the database is asked.
  await mongoose.connect(database.url, { dbName: 'test', autoIndex: false, monitorCommands: true });
  for (const model of models) await model.createIndexes();
  return {
    url: database.url,
    async close() {
      await mongoose.disconnect();
      await database.close();
    },
  };
}
