import { afterAll, beforeAll } from '@jest/globals';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../../../embedded/mongo/index.ts';
import { type Collection, type Db, type Document, MongoClient } from '../suite/driver.ts';
import { temporaryFolder } from './folder.ts';

/** A server with a connected client for all tests of a file. */
export function sharedServer(options: { maxPoolSize?: number } = {}) {
  const shared: { server?: EmbeddedMongo; client?: MongoClient } = {};
  let collections = 0;

  beforeAll(async () => {
    shared.server = await startEmbeddedMongo({ dir: temporaryFolder() });
    shared.client = await MongoClient.connect(shared.server.url, options);
  });

  afterAll(async () => {
    await shared.client?.close();
    await shared.server?.close();
  });

  const server = (): EmbeddedMongo => shared.server!;
  const client = (): MongoClient => shared.client!;
  const database = (): Db => client().db('test');

  /** A new collection. */
  function emptyCollection(): Collection {
    collections += 1;
    return database().collection(`items_${collections}`);
  }

  /** A new collection that holds these documents. */
  async function collectionOf(...documents: Document[]): Promise<Collection> {
    const collection = emptyCollection();
    if (documents.length > 0) await collection.insertMany(documents.map((document) => ({ ...document })) as never);
    return collection;
  }

  return { server, client, database, emptyCollection, collectionOf };
}

/** The code and codeName of what a command refuses, or of the first write it refuses. */
export async function refusal(db: Db, command: Document): Promise<{ code: number; codeName?: string; errmsg: string }> {
  try {
    const { writeErrors } = await db.command(command);
    const [{ code, errmsg } = { code: 0, errmsg: 'accepted' }] = writeErrors ?? [];
    return { code, errmsg };
  } catch (error) {
    const { code, codeName, errmsg } = error as { code: number; codeName: string; errmsg: string };
    return { code, codeName, errmsg };
  }
}
