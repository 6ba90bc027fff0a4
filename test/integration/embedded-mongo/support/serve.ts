import { startEmbeddedMongo } from '../../../../embedded/mongo/index.ts';

/** Serves the folder named by the first argument until it is killed; prints the address. */
const { url } = await startEmbeddedMongo({ dir: process.argv[2]! });
console.log(url);
setInterval(() => {}, 60_000);
