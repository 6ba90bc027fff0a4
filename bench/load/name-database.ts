import mongoose from 'mongoose';
import { takeJob } from './job.ts';

const { MongoClient } = mongoose.mongo;

/** Name of the MongoDB-compatible server at a URL, with its version where it reports one. */
async function name({ url }: { url: string }): Promise<string> {
  const client = new MongoClient(url);
  const { version, ferretdbVersion, ferretdb } = await client.db('admin').command({ buildInfo: 1 });
  await client.close();
  // FerretDB 1 reports its version in one field, FerretDB 2 in an object; `version` is the MongoDB version that they
  // emulate.
  const ferretDbVersion = ferretdbVersion ?? ferretdb?.version;
  if (!ferretDbVersion) return `MongoDB ${version}`;
  return ferretDbVersion === 'unknown' ? 'FerretDB' : `FerretDB ${ferretDbVersion}`;
}

takeJob(name);
