import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rename } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { takeServer } from '../load/job.ts';
import { answerJson, listen } from './json-server.ts';

/** Lower bound of an object store: one file to read, and a folder for uploads. */
export type BareFilesOptions = { file: string; size: number; etag: string; folder: string };

/** About the number of bytes that the platform's store writes in one call. */
const chunksTogether = 8;

function start({ file, size, etag, folder }: BareFilesOptions): Promise<{ port: number }> {
  return listen((request, response) => {
    // The load ends in the middle of some uploads.
    if (request.method === 'PUT') store(request, response, folder).catch(() => response.destroy());
    else if (request.headers['if-none-match'] === etag) response.writeHead(304, { ETag: etag }).end();
    else {
      response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': size, ETag: etag });
      createReadStream(file, { highWaterMark: 256 * 1024 }).pipe(response);
    }
  });
}

/** Writes a file in the same steps as the platform's store: hash, write, sync, rename, sync. */
async function store(request: IncomingMessage, response: ServerResponse, folder: string): Promise<void> {
  const hash = createHash('sha256');
  const temporary = join(folder, randomUUID());
  const path = join(folder, 'files', randomUUID(), randomUUID());
  let size = 0;
  let waiting: Buffer[] = [];
  const handle = await open(temporary, 'wx', 0o600);
  for await (const chunk of request as AsyncIterable<Buffer>) {
    hash.update(chunk);
    size += chunk.length;
    waiting.push(chunk);
    if (waiting.length < chunksTogether) continue;
    await handle.appendFile(Buffer.concat(waiting));
    waiting = [];
  }
  await handle.appendFile(Buffer.concat(waiting));
  await handle.sync();
  await handle.close();
  await mkdir(dirname(path), { recursive: true });
  await rename(temporary, path);
  for (const each of [dirname(path), join(folder, 'files')]) await synchronize(each);
  answerJson(response, 200, { size, sha256: hash.digest('hex') });
}

async function synchronize(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync();
  await handle.close();
}

takeServer(start);
