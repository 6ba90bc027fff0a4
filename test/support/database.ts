import { join } from 'node:path';
import mongoose from 'mongoose';
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

/** Opens a connection for as long as the work takes. */
export async function withDatabase<T>(
  databaseUrl: string,
  work: (database: mongoose.mongo.Db) => Promise<T>,
): Promise<T> {
  const client = new mongoose.mongo.MongoClient(databaseUrl);
  try {
    const named = client.options.dbName;
    return await work(client.db(named === 'test' ? 'platform' : named));
  } finally {
    await client.close();
  }
}
