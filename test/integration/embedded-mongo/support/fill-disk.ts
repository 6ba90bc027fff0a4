import { startEmbeddedMongo } from '../../../../embedded/mongo/index.ts';
import { MongoClient, MongoServerError } from '../suite/driver.ts';

/**
 * Serves a folder and inserts until a write is refused, then says what still works; prints acknowledged ids and
 * the outcome as JSON. Its process may not write large files.
 */
const { url } = await startEmbeddedMongo({ dir: process.argv[2]! });
const client = await MongoClient.connect(url, { maxPoolSize: 8 });
const items = client.db('test').collection<{ _id: number; text: string }>('items');

let next = 0;
let refusal: MongoServerError | undefined;
await Promise.all(
  Array.from({ length: 8 }, async () => {
    while (!refusal) {
      const _id = next++;
      try {
        await items.insertOne({ _id, text: 'x'.repeat(4000) });
        console.log(_id);
      } catch (error) {
        if (!(error instanceof MongoServerError)) throw error;
        refusal = error;
      }
    }
  }),
);
const stored = await items.countDocuments();
const found = await items.findOne({ _id: 0 });
const again = await items.insertOne({ _id: -1, text: 'x'.repeat(100_000) }).catch((error) => error.code);
console.log(JSON.stringify({ code: refusal?.code, message: refusal?.message, stored, found: found?._id, again }));
