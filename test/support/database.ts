import { join } from 'node:path';
import { type Db, MongoClient } from 'mongodb';
import { findEmbeddedMongo } from '../../embedded/mongo/index.ts';

/** A platform as far as tests make something through it: one of its gateways, and its PUBLIC_URL if that is another. */
export type Entrance = { url: string; publicUrl?: string };

const entrances = new Map<string, Entrance>();

/** The address of the database that a platform with this folder embeds; it must be running. */
export async function databaseUrlOf(platform: {
  dataDir: string;
  url?: string;
  firstRun?: { publicUrl?: string };
}): Promise<string> {
  const { dataDir, url, firstRun } = platform;
  const databaseUrl = await findEmbeddedMongo(join(dataDir, 'mongo'));
  if (!databaseUrl) throw new Error(`No embedded database runs in ${dataDir}.`);
  if (url !== undefined) introduce(databaseUrl, { url, ...firstRun });
  return databaseUrl;
}

/** Tells which platform runs on a database, for what can only be made through the platform. */
export function introduce(databaseUrl: string, { url, publicUrl }: Entrance): void {
  entrances.set(databaseUrl, { url, ...(publicUrl !== undefined && { publicUrl }) });
}

export function entranceOf(databaseUrl: string): Entrance {
  const entrance = entrances.get(databaseUrl);
  if (!entrance) throw new Error(`No platform on ${databaseUrl} was introduced.`);
  return entrance;
}

/** The clients that are connected, each with the number of works that use it. */
const clients = new Map<string, { client: MongoClient; users: number }>();

/** Jest's hook in a test file; absent where the platforms of a run are set up. */
const afterAllTests = (globalThis as { afterAll?: (end: () => Promise<void>) => void }).afterAll;

/** Whether clients stay connected for the next work: connecting takes longer than most works. */
let staysConnected = afterAllTests !== undefined;

afterAllTests?.(async () => {
  staysConnected = false;
  const idle = [...clients].filter(([, { users }]) => users === 0);
  await Promise.all(idle.map(([url]) => disconnect(url)));
});

/** Connects to a database for as long as the work takes, or until the end of a test file; works share a client. */
export async function withDatabase<T>(databaseUrl: string, work: (database: Db) => Promise<T>): Promise<T> {
  const shared = clients.get(databaseUrl) ?? { client: new MongoClient(databaseUrl), users: 0 };
  clients.set(databaseUrl, shared);
  shared.users += 1;
  const { client } = shared;
  try {
    const named = client.options.dbName;
    return await work(client.db(named === 'test' ? 'platform' : named));
  } finally {
    shared.users -= 1;
    if (shared.users === 0 && !staysConnected) await disconnect(databaseUrl);
  }
}

async function disconnect(databaseUrl: string): Promise<void> {
  const { client } = clients.get(databaseUrl)!;
  clients.delete(databaseUrl);
  await client.close();
}
