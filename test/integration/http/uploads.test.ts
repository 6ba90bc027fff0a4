import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import type { ErrorBody } from '../../support/http.ts';
import { openConnection } from '../../support/raw-http.ts';
import { testBytes } from '../../support/test-bytes.ts';
import { until } from '../../support/until.ts';
import { ownStreamingPlatform } from './own-streaming-platform.ts';
import { uploadLimit } from './streaming-service.ts';

const own = ownStreamingPlatform();
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

async function put(path: string, body: RequestInit['body'], headers: Record<string, string> = {}, method = 'PUT') {
  const response = await fetch(own.url + path, { method, headers: { ...own.headers, ...headers }, body });
  return { status: response.status, body: (await response.json()) as ErrorBody & Record<string, unknown> };
}

describe('a raw body', () => {
  test.each([0, 1, 65_536, uploadLimit])('of %d bytes is received as it was sent', async (length) => {
    const bytes = testBytes(3, length);
    const { status, body } = await put('/v1/test/upload', bytes, { 'content-type': 'image/webp' });
    expect(status).toBe(200);
    expect(body).toEqual({ size: length, sha256: sha256(bytes), type: 'image/webp', fileName: null });
  });

  test('is received in chunks of no declared length', async () => {
    const bytes = testBytes(0, 200_000);
    const body = new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += 50_000) controller.enqueue(bytes.subarray(at, at + 50_000));
        controller.close();
      },
    });
    const init = { method: 'PUT', headers: own.headers, body, duplex: 'half' } as RequestInit;
    const answer = await fetch(`${own.url}/v1/test/upload`, init);
    expect(await answer.json()).toMatchObject({ size: bytes.length, sha256: sha256(bytes) });
  });

  test('beyond the limit is 413, whether or not its length is declared', async () => {
    const bytes = testBytes(0, uploadLimit + 1);
    const declared = await put('/v1/test/upload', bytes);
    expect([declared.status, declared.body.error]).toEqual([413, 'BODY_TOO_LARGE']);
    const body = new ReadableStream({
      pull(controller) {
        controller.enqueue(bytes);
        controller.close();
      },
    });
    const init = { method: 'PUT', headers: own.headers, body, duplex: 'half' } as RequestInit;
    const chunked = await fetch(`${own.url}/v1/test/upload`, init);
    expect([chunked.status, ((await chunked.json()) as ErrorBody).error]).toEqual([413, 'BODY_TOO_LARGE']);
  });

  test.each([
    [{ 'content-encoding': 'gzip' }, 'Content-Encoding'],
    [{ 'content-type': 'application/x-www-form-urlencoded' }, 'media type'],
    [{ 'content-type': 'multipart/mixed; boundary=x' }, 'media type'],
    [{ 'content-type': 'multipart/form-data' }, 'media type'],
    [{ 'content-type': 'multipart/form-data; charset=utf-8' }, 'boundary'],
  ])('with %j is 415', async (headers, word) => {
    const { status, body } = await put('/v1/test/upload', 'a', headers as Record<string, string>);
    expect([status, body.error]).toEqual([415, 'CONTENT_TYPE_UNSUPPORTED']);
    expect(body.message).toContain(word);
  });

  test('whose client leaves fails the handler at once', async () => {
    const before = (await own.state()).failedUploads.length;
    const head = `PUT /v1/test/upload HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${own.tenant.apiKey}\r\n`;
    const socket = await openConnection(own.url, `${head}Content-Length: 1000000\r\n\r\nsome bytes`);
    await until(async () => (await own.client.send('GET', '/v1/test/state')).status === 200);
    socket.destroy();
    await until(async () => (await own.state()).failedUploads.length > before);
    expect((await own.state()).failedUploads.at(-1)).toBe('REQUEST_MALFORMED');
  });

  test('that is refused before it was read gets its answer, and its connection ends', async () => {
    const { hostname, port } = new URL(own.url);
    const headers = { ...own.headers, 'content-length': String(2 ** 40) };
    const outgoing = request({ agent: false, hostname, port, method: 'PUT', path: '/v1/test/refused', headers });
    const chunk = testBytes(0, 65_536);
    const pour = (): void => {
      while (!outgoing.destroyed && outgoing.write(chunk));
    };
    outgoing.on('drain', pour).on('error', () => undefined);
    const answered = new Promise<{ status: number | undefined; connection: string | undefined }>((resolve) => {
      outgoing.once('response', ({ statusCode: status, headers: { connection } }) => resolve({ status, connection }));
    });
    pour();
    expect(await answered).toEqual({ status: 409, connection: 'close' });
    await new Promise((resolve) => outgoing.once('close', resolve));
  });

  test('of a client that waits to be told is asked for only where it is read', async () => {
    const head = (authorization: string) =>
      `PUT /v1/test/upload HTTP/1.1\r\nHost: a\r\n${authorization}Content-Length: 5\r\nExpect: 100-continue\r\n\r\n`;
    const refused = await openConnection(own.url, head(''));
    expect(await firstOf(refused)).toMatch(/^HTTP\/1\.1 401 /);
    const asked = await openConnection(own.url, head(`Authorization: Bearer ${own.tenant.apiKey}\r\n`));
    expect(await firstOf(asked)).toMatch(/^HTTP\/1\.1 100 Continue/);
    asked.write('bytes');
    expect(await firstOf(asked)).toMatch(/^HTTP\/1\.1 200 /);
    for (const socket of [refused, asked]) socket.destroy();
  });
});

const firstOf = (socket: NodeJS.ReadableStream): Promise<string> =>
  new Promise((resolve) => socket.once('data', (chunk: Buffer) => resolve(chunk.toString())));

type Part = [name: string, value: string | { bytes: Buffer; fileName?: string; type?: string }];

function formOf(parts: Part[]): FormData {
  const form = new FormData();
  for (const [name, value] of parts) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([value.bytes], { type: value.type ?? '' }), value.fileName ?? 'a.txt');
  }
  return form;
}

const post = (parts: Part[]) => put('/v1/test/form', formOf(parts), {}, 'POST');
const file = { bytes: testBytes(1, 300_000), fileName: 'Größe 1.png', type: 'image/png' };

describe('a form with a file', () => {
  test.each([
    [
      'before',
      [
        ['title', 'One'],
        ['folder', 'Ä'],
        ['file', file],
      ] as Part[],
    ],
    [
      'after',
      [
        ['file', file],
        ['title', 'One'],
        ['folder', 'Ä'],
      ] as Part[],
    ],
    [
      'around',
      [
        ['title', 'One'],
        ['file', file],
        ['folder', 'Ä'],
      ] as Part[],
    ],
  ])('has its fields %s the file', async (_where, parts) => {
    const { status, body } = await post(parts);
    expect(status).toBe(200);
    expect(body).toEqual({
      size: file.bytes.length,
      sha256: sha256(file.bytes),
      type: 'image/png',
      fileName: 'Größe 1.png',
      fields: { title: 'One', folder: 'Ä' },
    });
  });

  test.each<[string, Part[], string]>([
    ['no file', [['title', 'One']], 'body.file'],
    [
      'two files',
      [
        ['title', 'One'],
        ['file', file],
        ['file', file],
      ],
      'body.file',
    ],
    [
      'a file of another name',
      [
        ['title', 'One'],
        ['picture', file],
      ],
      'body.picture',
    ],
    [
      'a field twice',
      [
        ['title', 'One'],
        ['title', 'Two'],
        ['file', file],
      ],
      'body.title',
    ],
    ['no title', [['file', file]], 'body.title'],
    [
      'an unknown field',
      [
        ['title', 'One'],
        ['color', 'red'],
        ['file', file],
      ],
      'body.color',
    ],
    [
      'a field that is too long',
      [
        ['title', 'x'.repeat(20_000)],
        ['file', file],
      ],
      'body.title',
    ],
    ['too many fields', Array.from({ length: 60 }, (_one, n): Part => [`f${n}`, 'x']), 'body'],
  ])('with %s is 400 and names the field', async (_what, parts, path) => {
    const { status, body } = await post(parts);
    expect([status, body.error]).toEqual([400, 'INPUT_INVALID']);
    expect(body.details?.map((detail) => detail.path)).toContain(path);
  });

  test('that is cut off is 400', async () => {
    const text = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf of it';
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const { status, body } = await put('/v1/test/form', text, headers, 'POST');
    expect([status, body.error]).toEqual([400, 'REQUEST_MALFORMED']);
  });

  test('whose file is beyond the limit is 413', async () => {
    const { status, body } = await post([
      ['title', 'One'],
      ['file', { bytes: testBytes(0, uploadLimit + 1) }],
    ]);
    expect([status, body.error]).toEqual([413, 'BODY_TOO_LARGE']);
  });
});
