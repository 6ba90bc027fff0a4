import { type EmbeddedMongo, startEmbeddedMongo } from '../../../../embedded/mongo/index.ts';
import { type Collection, MongoClient } from '../suite/driver.ts';

export type Scene = { server: EmbeddedMongo; client: MongoClient; items: Collection };

/** Runs a server over `dir` with a connected client for as long as `use` takes. */
export async function withServer<Result>(dir: string, use: (scene: Scene) => Promise<Result>): Promise<Result> {
  const server = await startEmbeddedMongo({ dir });
  try {
    return await withClient(server.url, (client) =>
      use({ server, client, items: client.db('test').collection('items') }),
    );
  } finally {
    await server.close();
  }
}

/** Connects with the unchanged driver for as long as `use` takes. */
export async function withClient<Result>(url: string, use: (client: MongoClient) => Promise<Result>): Promise<Result> {
  const client = await MongoClient.connect(url, { maxPoolSize: 16, serverSelectionTimeoutMS: 5000 });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}
