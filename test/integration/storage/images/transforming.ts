import { Readable } from 'node:stream';
import { createTransformer } from '../../../../services/storage/images/transformer.ts';
import { solid, white } from './test-images.ts';

/** Transforms an image, prints the id of the worker process, and keeps that process until its own end. */
const options = { processes: 1, maxWaiting: 1, timeoutMilliseconds: 20_000, idleMilliseconds: 600_000 };
const transformer = createTransformer(options);
const source = await solid(40, 20, white).png().toBuffer();
const wanted = { width: 20, height: null, fit: 'cover', quality: 80, format: 'png' } as const;
await transformer.transform(async () => Readable.from([source]), wanted);
console.log(transformer.pids()[0]);
