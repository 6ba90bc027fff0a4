import { afterAll, beforeAll } from '@jest/globals';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../../../embedded/mongo/index.ts';
import { type Collection, type Db, type Document, MongoClient } from '../../../support/mongo-suite/driver.ts';
import { temporaryFolder } from './folder.ts';

/** A server with a connected client for all tests of a file. */
export function sharedServer() {
  const shared: { server?: EmbeddedMongo; client?: MongoClient } = {};
  let collections = 0;

  beforeAll(async () => {
    shared.server = await startEmbeddedMongo({ dir: temporaryFolder() });
    shared.client = await MongoClient.connect(shared.server.url);
  });

  afterAll(async () => {
    await shared.client?.close();
    await shared.server?.close();
  });

  const database = (): Db => shared.client!.db('test');

  /** A collection of its own that holds these documents. */
  async function collectionOf(...documents: Document[]): Promise<Collection> {
    collections += 1;
    const collection = database().collection(`items_${collections}`);
    if (documents.length > 0) await collection.insertMany(documents.map((document) => ({ ...document })) as never);
    return collection;
  }

  return { database, collectionOf };
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
