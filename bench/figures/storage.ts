import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { compare } from '../compare.ts';
import type { Figure } from '../figure.ts';
import { type HttpRequest, loadWith } from '../load/http-request.ts';
import { createRecorder, type LoadResult } from '../load/result.ts';
import type { SharpJob } from '../load/sharp-load.ts';
import type { Options } from '../options.ts';
import { runJob, startServer, temporaryFolder, waitUntilQuiet } from '../processes.ts';
import type { BareFilesOptions } from '../servers/bare-files.ts';
import { headersOf, type Platform, startPlatform } from '../servers/platform.ts';

const least = { reads: 0.6, conditional: 0.25, uploads: 0.5, made: 0.85, repeated: 20 };
const readBytes = 100 * 1024;
const uploadBytes = 1024 * 1024;
const readers = 32;
const uploaders = 8;
const imagesEachRound = 120;
const imagesAtOnce = 8;

type Stored = { version: string; sha256: string; url: string };
type Storage = { platform: Platform; port: number; folder: string };

/** Measures reads, uploads and transformed images of the storage listener, on the folder of the default process. */
export async function measureStorage(options: Options): Promise<Figure[]> {
  const platform = await startPlatform(temporaryFolder(), { IMAGE_PROCESSES: '1' });
  const storage = { platform, port: Number(new URL(platform.storageUrl).port), folder: temporaryFolder() };
  const figures = [...(await compareFiles(options, storage)), ...(await compareImages(options, storage))];
  await platform.stop();
  return figures;
}

async function compareFiles(options: Options, storage: Storage): Promise<Figure[]> {
  const { platform, port, folder } = storage;
  const file = join(folder, 'file');
  const text = randomText(readBytes);
  writeFileSync(file, text);
  const { sha256, url } = await upload(storage, 'read.txt', Buffer.from(text));
  const etag = `"${sha256}"`;
  const bareOptions: BareFilesOptions = { file, size: text.length, etag, folder };
  const bare = await startServer<{ port: number }>('servers/bare-files.ts', bareOptions);
  const path = new URL(url).pathname;
  const get: HttpRequest = { method: 'GET', path, headers: {}, status: 200 };
  const put = putOf(platform);
  const besides = async (name: string, atLeast: number, load: (port: number) => Promise<LoadResult>) =>
    await compare(options, {
      name,
      subject: async () => {
        const result = await load(port);
        await waitUntilQuiet(platform.pid);
        return result;
      },
      besideName: 'node:http',
      beside: () => load(bare.address.port),
      unit: 'req/s',
      atLeast,
    });
  const figures = [
    await besides('GET of an object of 100 KiB', least.reads, (to) => loadWith(get, timed(options, to, readers))),
    await besides('conditional GET, answered 304', least.conditional, (to) =>
      loadWith({ ...get, headers: { 'If-None-Match': etag }, status: 304 }, timed(options, to, readers)),
    ),
    await besides('PUT of an object of 1 MiB', least.uploads, (to) => loadWith(put, timed(options, to, uploaders))),
  ];
  await bare.stop();
  return figures;
}

/** Uploads to a new key each time. */
function putOf(platform: Platform): HttpRequest {
  const headers = { ...headersOf(platform), 'Content-Type': 'text/plain' };
  const path = `/v1/objects/${platform.orgId}/uploads/<eventId>.txt`;
  return { method: 'PUT', path, headers, body: randomText(uploadBytes), status: 200 };
}

/** Measures new images by one process, compared with bare `sharp`, and one image repeatedly. */
async function compareImages(options: Options, storage: Storage): Promise<Figure[]> {
  const file = join(storage.folder, 'picture.jpg');
  const picture = await newPicture();
  writeFileSync(file, picture);
  const widths = Array.from({ length: imagesEachRound }, (_none, index) => 300 + index * 3);
  const alone = () => runJob<LoadResult>('load/sharp-load.ts', { file, widths } satisfies SharpJob);
  const { url } = await upload(storage, 'again.jpg', picture);
  const { pathname } = new URL(url);
  const again: HttpRequest = { method: 'GET', path: `${pathname}?w=450`, headers: {}, status: 200 };
  const common = { besideName: 'sharp alone', beside: alone, unit: 'images/s' };
  return [
    await compare(options, {
      ...common,
      name: 'images of a picture of 1600 × 1200, each new',
      subject: async () => makeAll((await upload(storage, 'new.jpg', picture)).url, widths),
      atLeast: least.made,
    }),
    await compare(options, {
      ...common,
      name: 'the same image again and again',
      subject: () => loadWith(again, timed(options, storage.port, readers)),
      atLeast: least.repeated,
    }),
  ];
}

/** Keeps enough requests in flight that the process always has an image to make. */
async function makeAll(url: string, widths: number[]): Promise<LoadResult> {
  await read(`${url}?w=16`);
  const startedAt = performance.now();
  const recorder = createRecorder(0, Number.MAX_SAFE_INTEGER);
  const remaining = widths.values();
  const lane = async () => {
    for (const width of remaining) {
      const from = performance.now();
      await read(`${url}?w=${width}`);
      recorder.succeeded(from);
    }
  };
  await Promise.all(Array.from({ length: imagesAtOnce }, lane));
  const seconds = (performance.now() - startedAt) / 1000;
  return { ...recorder.result(), perSecond: widths.length / seconds };
}

async function read(url: string): Promise<void> {
  const answer = await fetch(url);
  const { length } = await answer.bytes();
  if (answer.status !== 200 || length === 0) throw new Error(`${url} was answered ${answer.status}.`);
}

function timed({ seconds }: Options, port: number, connections: number) {
  return { port, connections, seconds, warmUpSeconds: seconds / 3 };
}

async function upload({ platform }: Storage, key: string, body: Buffer<ArrayBuffer>): Promise<Stored> {
  const { orgId, storageUrl } = platform;
  const headers = headersOf(platform);
  const answer = await fetch(`${storageUrl}/v1/objects/${orgId}/${key}`, { method: 'PUT', headers, body });
  if (!answer.ok) throw new Error(`${key} was not stored: ${await answer.text()}`);
  return (await answer.json()) as Stored;
}

const randomText = (bytes: number): string => randomBytes(bytes).toString('base64').slice(0, bytes);

/** An image with noise, which costs a decoder as much as a photograph. */
async function newPicture(): Promise<Buffer<ArrayBuffer>> {
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
  const create = { width: 1600, height: 1200, channels: 3, background: { r: 0, g: 0, b: 0 }, noise } as const;
  return Buffer.from(await sharp({ create }).blur(2).jpeg({ quality: 90 }).toBuffer());
}
