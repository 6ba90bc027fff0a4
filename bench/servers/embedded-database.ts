import { startEmbeddedMongo } from '../../embedded/mongo/index.ts';
import { takeServer } from '../load/job.ts';

async function start({ folder }: { folder: string }): Promise<{ url: string }> {
  const { url } = await startEmbeddedMongo({ dir: folder });
  return { url };
}

takeServer(start);
