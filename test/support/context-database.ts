import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import mongoose from 'mongoose';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../embedded/mongo/index.ts';
import { CustomerModel } from '../../models/context/customer.ts';
import { EventModel } from '../../models/context/event.ts';
import { IdentifierModel } from '../../models/context/identifier.ts';
import { PendingEventModel } from '../../models/context/pending-event.ts';

/**
 * Gives the tests of a file a database of their own, so that they can run the context service's parts in this process:
 * with a clock of theirs, and without its background work. Its models are connected to it.
 */
export function ownContextDatabase(): void {
  let folder: string;
  let database: EmbeddedMongo;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'context-'));
    database = await startEmbeddedMongo({ dir: folder });
    await mongoose.connect(database.url, { dbName: 'platform', autoIndex: false, autoCreate: false });
    for (const model of [EventModel, PendingEventModel, IdentifierModel, CustomerModel]) await model.createIndexes();
  });
  afterAll(async () => {
    await mongoose.disconnect();
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });
}
