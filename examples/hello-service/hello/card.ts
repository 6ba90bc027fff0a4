import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { apiError, defineAction, streamOutput, uploadInput, z } from 'platform/service';

const pathOf = (orgId: string): string => join(tmpdir(), `hello-card-${orgId}`);

/** Bytes are not sent through the broker: load the service on a node that also runs the gateway. */
export const putCard = defineAction({
  rest: 'PUT /v1/hello/card',
  summary: 'Upload a greeting card of any size',
  permission: 'hello.greet',
  takes: 'stream',
  input: { body: uploadInput(z.strictObject({})) },
  output: z.strictObject({ size: z.int() }),
  limits: { bodyBytes: 4 * 1024 ** 3 },
  async handler({ body: { file }, caller: { orgId }, operation }) {
    const unfinished = `${pathOf(orgId)}-${operation.newId('card')}`;
    await pipeline(file, createWriteStream(unfinished));
    await rename(unfinished, pathOf(orgId));
    return { size: (await stat(pathOf(orgId))).size };
  },
});

export const readCard = defineAction({
  rest: 'GET /v1/hello/card',
  summary: 'Download the greeting card, or a range of it',
  permission: 'hello.read',
  answers: 'stream',
  input: {},
  output: streamOutput,
  errors: ['NOT_FOUND'],
  async handler({ caller: { orgId } }) {
    const path = pathOf(orgId);
    const { size, mtime, ino } = await stat(path).catch(() => Promise.reject(apiError('NOT_FOUND')));
    return {
      type: 'application/octet-stream',
      size,
      etag: `${ino}-${mtime.getTime()}`,
      lastModified: mtime,
      open: (range) => createReadStream(path, range ? { start: range.first, end: range.last } : {}),
    };
  },
});

export const removeCard = (orgId: string): Promise<void> => rm(pathOf(orgId), { force: true });
