import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ServiceSchema } from 'moleculer';
import { z } from 'zod';
import { sendHint } from '../../../lib/clients/change-notifications.ts';
import {
  bytesAnswer,
  bytesInput,
  bytesOutput,
  eventsOutput,
  redirectOutput,
  type StreamAnswer,
  streamOutput,
  uploadInput,
} from '../../../lib/contract/contract.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { testBytes } from '../../support/test-bytes.ts';

export const uploadLimit = 8 * 1024 * 1024;
export const lastModified = new Date('2026-03-02T09:30:00.000Z');

/** What became of the streams of this process. */
const seen = { opened: 0, closed: 0, failedUploads: [] as string[], aborted: 0 };

const permission = 'context.story.read';
const received = z.strictObject({
  size: z.number(),
  sha256: z.string(),
  type: z.string(),
  fileName: z.string().nullable(),
});

async function digest(file: Readable) {
  const hash = createHash('sha256');
  let size = 0;
  try {
    await pipeline(file, async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        size += chunk.length;
        hash.update(chunk);
      }
    });
  } catch (error) {
    seen.failedUploads.push((error as { type?: string }).type ?? String(error));
    throw error;
  }
  return { size, sha256: hash.digest('hex') };
}

const upload = defineAction({
  rest: 'PUT /v1/test/upload',
  summary: 'Receive a body',
  permission,
  takes: 'stream',
  input: { body: uploadInput(z.strictObject({})) },
  output: received,
  limits: { bodyBytes: uploadLimit },
  handler: async ({ body: { file, type, fileName } }) => ({ ...(await digest(file)), type, fileName }),
});

const form = defineAction({
  rest: 'POST /v1/test/form',
  summary: 'Receive a form with a file',
  permission,
  takes: 'stream',
  input: { body: uploadInput(z.strictObject({ title: z.string().min(1).max(10), folder: z.string().optional() })) },
  output: z.strictObject({ ...received.shape, fields: z.record(z.string(), z.string()) }),
  limits: { bodyBytes: uploadLimit },
  async handler({ body: { file, type, fileName, fields } }) {
    const content = await digest(file);
    return { ...content, type, fileName, fields: await fields() };
  },
});

const refuse = defineAction({
  rest: 'PUT /v1/test/refused',
  summary: 'Refuse a body without reading it',
  permission,
  takes: 'stream',
  input: { body: uploadInput(z.strictObject({})) },
  output: z.void(),
  limits: { bodyBytes: 2 ** 40 },
  handler() {
    throw apiError('CONFLICT');
  },
});

/** Bytes that are made as they are read. */
function source(first: number, last: number, path: { kind: string }): Readable {
  seen.opened += 1;
  const end = path.kind === 'short' ? last - 10 : last;
  let at = first;
  const readable = new Readable({
    read() {
      if (path.kind === 'failing' && at > first) this.destroy(new Error('The disk is gone.'));
      else if (at > end) this.push(null);
      else {
        const length = Math.min(65_536, end - at + 1);
        this.push(testBytes(at, length));
        at += length;
      }
    },
  });
  return readable.once('close', () => {
    seen.closed += 1;
  });
}

const content = defineAction({
  rest: 'GET /v1/test/content/:kind/:size',
  summary: 'Send bytes',
  permission,
  answers: 'stream',
  input: { path: z.strictObject({ kind: z.string(), size: z.coerce.number().int() }) },
  output: streamOutput,
  handler({ path }): StreamAnswer {
    const { kind, size } = path;
    return {
      type: 'application/x-test',
      size: kind === 'unknown' ? null : size,
      ...(kind !== 'plain' && { etag: `tag-${size}`, lastModified }),
      ...(kind === 'saved' && { disposition: 'attachment', fileName: 'Kö/ln "1".txt' }),
      open(range, signal) {
        signal.addEventListener('abort', () => {
          seen.aborted += 1;
        });
        return source(range?.first ?? 0, range?.last ?? size - 1, path);
      },
    };
  },
});

const echo = defineAction({
  rest: 'POST /v1/test/bytes',
  summary: 'Send back the bytes',
  permission,
  takes: 'bytes',
  answers: 'bytes',
  input: { body: bytesInput },
  output: bytesOutput,
  limits: { bodyBytes: 512 * 1024 },
  handler: ({ body }) => bytesAnswer(body, { type: 'image/png', etag: 'echo' }),
});

const open = defineAction({
  rest: 'GET /v1/test/open',
  summary: 'An answer for all sites',
  permission: 'public',
  input: {},
  output: z.strictObject({ open: z.boolean() }),
  exposure: { caching: 'public, max-age=60', cors: 'any', embedding: 'cross-origin', framing: ['https://a.example'] },
  handler: () => ({ open: true }),
});

const redirect = defineAction({
  rest: 'GET /v1/test/redirect',
  summary: 'Send somewhere else',
  permission,
  answers: 'redirect',
  status: 307,
  input: {},
  output: redirectOutput,
  handler: () => ({ location: '/v1/test/open' }),
});

const events = defineAction({
  rest: 'GET /v1/test/events',
  summary: 'Listen',
  permission,
  answers: 'events',
  input: { query: z.strictObject({ room: z.string().optional() }) },
  output: eventsOutput,
  handler: ({ caller: { orgId }, query: { room = 'hall' } }) => ({ channels: [`test ${orgId} ${room}`] }),
});

const hint = defineAction({
  rest: 'POST /v1/test/hints',
  summary: 'Send hints',
  permission,
  input: { body: z.strictObject({ room: z.string(), count: z.int(), text: z.string().default('') }) },
  output: z.void(),
  async handler({ body: { room, count, text }, caller: { orgId }, ctx }) {
    for (let n = 1; n <= count; n += 1) await sendHint(ctx, `test ${orgId} ${room}`, 'changed', { n, text });
  },
});

const state = defineAction({
  rest: 'GET /v1/test/state',
  summary: 'What became of the streams',
  permission,
  input: {},
  output: z.unknown(),
  handler: () => ({ ...seen, rss: process.memoryUsage().rss }),
});

/** Endpoints of every kind that the contract knows, for tests of the HTTP kernel. */
export const streamingService: ServiceSchema = {
  name: 'streaming',
  actions: { upload, form, refuse, content, echo, open, redirect, events, hint, state },
};
