import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createOperations } from '../../../../embedded/mongo/operations.ts';
import { createMongoServer, type MongoServer } from '../../../../embedded/mongo/server.ts';
import { createStore, type Store } from '../../../../embedded/mongo/store/catalog.ts';
import { type Checkpoints, createCheckpoints } from '../../../../embedded/mongo/store/checkpoints.ts';
import type { Sync } from '../../../../embedded/mongo/store/durable-record.ts';
import { createLogSync, type LogSync } from '../../../../embedded/mongo/store/log-sync.ts';
import { openDatabase } from '../../../../embedded/mongo/store/open.ts';
import { type Collection, MongoClient } from '../suite/driver.ts';

export type SyncedServer = {
  store: Store;
  log: LogSync;
  checkpoints: Checkpoints;
  server: MongoServer;
  client: MongoClient;
  items: Collection;
  close: () => Promise<void>;
};

/** A server in the test's own thread, with a connected client. The test may end the syncs of its log and of its data file. */
export async function startSyncedServer(
  dir: string,
  { syncLog, syncRecord, syncFile }: { syncLog?: Sync; syncRecord?: Sync; syncFile?: Sync },
): Promise<SyncedServer> {
  const store = createStore(openDatabase(dir));
  const log = createLogSync(store.database, { syncLog, syncRecord });
  const checkpoints = createCheckpoints(store.database, log, syncFile);
  const state = { cursors: new Map(), operations: createOperations(), startedAt: 0 };
  const server = createMongoServer({ store, log, checkpoints, ...state });
  server.server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const client = await MongoClient.connect(`mongodb://127.0.0.1:${port}`, { minPoolSize: 8, maxPoolSize: 8 });
  const items = client.db('test').collection('items');
  const close = async () => {
    await client.close();
    await server.close();
    await checkpoints.end();
    store.database.close();
    log.close();
    checkpoints.close();
  };
  return { store, log, checkpoints, server, client, items, close };
}
