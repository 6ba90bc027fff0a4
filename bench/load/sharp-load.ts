import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { takeJob } from './job.ts';
import { createRecorder, type LoadResult } from './result.ts';

/** An image file, and the widths of the images to make of it, sequentially. */
export type SharpJob = { file: string; widths: number[] };

sharp.cache(false);
sharp.concurrency(1);

/** Measures bare `sharp` for the same images, in one process and one at a time. */
takeJob(async ({ file, widths }: SharpJob): Promise<LoadResult> => {
  await transform(file, 16);
  const startedAt = performance.now();
  const recorder = createRecorder(0, Number.MAX_SAFE_INTEGER);
  for (const width of widths) {
    const from = performance.now();
    await transform(file, width);
    recorder.succeeded(from);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  return { ...recorder.result(), perSecond: widths.length / seconds };
});

async function transform(file: string, width: number): Promise<Buffer> {
  const image = sharp(await readFile(file), { failOn: 'error' }).autoOrient();
  return await image.resize({ width, withoutEnlargement: true }).toFormat('jpeg', { quality: 80 }).toBuffer();
}
