import mongoose from 'mongoose';
import { takeJob } from './job.ts';

const { MongoClient } = mongoose.mongo;

/** What serves the MongoDB protocol at an address, with its version where it knows it. */
async function name({ url }: { url: string }): Promise<string> {
  const client = new MongoClient(url);
  const { version, ferretdbVersion, ferretdb } = await client.db('admin').command({ buildInfo: 1 });
  await client.close();
  // Version 1 says it in a field of its own, version 2 in an object; `version` is MongoDB's that they stand for.
  const ferretDbVersion = ferretdbVersion ?? ferretdb?.version;
  if (!ferretDbVersion) return `MongoDB ${version}`;
  return ferretDbVersion === 'unknown' ? 'FerretDB' : `FerretDB ${ferretDbVersion}`;
}

takeJob(name);
