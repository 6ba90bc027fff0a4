import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { readJsonBody } from '../../../http/read-body.ts';

const limitBytes = 1000;

function requestOf(chunks: (string | Buffer)[], headers: Record<string, string> = {}): IncomingMessage {
  const bytes = chunks.map((chunk) => Buffer.from(chunk));
  const defaults = {
    'content-type': 'application/json',
    'content-length': String(bytes.reduce((sum, { length }) => sum + length, 0)),
  };
  return Object.assign(Readable.from(bytes), { headers: { ...defaults, ...headers } }) as unknown as IncomingMessage;
}

const read = (text: string | Buffer, headers?: Record<string, string>) =>
  readJsonBody(requestOf([text], headers), limitBytes);
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

describe('a JSON body', () => {
  test.each([
    ['{"a":1}', { a: 1 }],
    ['[1,2]', [1, 2]],
    ['null', null],
    ['"text"', 'text'],
    [' {} ', {}],
    ['{"constructor":1,"prototype":2}', { constructor: 1, prototype: 2 }],
    ['{"$gt":""}', { $gt: '' }],
  ])('%s is read as it is', async (text, value) => {
    expect(await read(text)).toEqual(value);
  });

  test('may come in pieces that cut a character', async () => {
    const bytes = Buffer.from('{"name":"Zoë"}');
    const cut = bytes.indexOf(0xc3) + 1;
    const request = requestOf([bytes.subarray(0, cut), bytes.subarray(cut)]);
    expect(await readJsonBody(request, limitBytes)).toEqual({ name: 'Zoë' });
  });

  test.each([
    ['application/json'],
    ['application/json; charset=utf-8'],
    ['application/json;charset="UTF-8"'],
    ['APPLICATION/JSON; Charset=utf8'],
    ['application/json; profile=x'],
  ])('may be declared as %s', async (type) => {
    expect(await read('{}', { 'content-type': type })).toEqual({});
  });

  test('that is absent is undefined, whatever its type is said to be', async () => {
    expect(await read('', { 'content-length': '0', 'content-type': 'text/plain' })).toBeUndefined();
    expect(await read('', { 'content-length': '', 'transfer-encoding': 'chunked' })).toBeUndefined();
  });

  test.each([
    ['text/plain'],
    [''],
    ['application/x-www-form-urlencoded'],
    ['multipart/form-data; boundary=x'],
    ['application/jsonp'],
    ['application/json; charset=iso-8859-1'],
    ['application/json; charset=utf-16'],
  ])('declared as "%s" is CONTENT_TYPE_UNSUPPORTED', async (type) => {
    await expect(read('{}', { 'content-type': type })).rejects.toMatchObject({ type: 'CONTENT_TYPE_UNSUPPORTED' });
  });

  test.each(['gzip', 'br', 'deflate', 'zstd'])('in the encoding %s is CONTENT_TYPE_UNSUPPORTED', async (encoding) => {
    const reading = read('{}', { 'content-encoding': encoding });
    await expect(reading).rejects.toMatchObject({ type: 'CONTENT_TYPE_UNSUPPORTED' });
  });

  test.each(['{', 'undefined', "{'a':1}", '{"a":1,}', '{"a":NaN}', '\u0000', '[1]x'])(
    'that reads %p is JSON_MALFORMED',
    async (text) => {
      await expect(read(text)).rejects.toMatchObject({ type: 'JSON_MALFORMED' });
    },
  );

  test('that is not UTF-8 is JSON_MALFORMED', async () => {
    const latin = Buffer.from([0x22, 0xe9, 0x22]);
    await expect(read(latin)).rejects.toMatchObject({
      type: 'JSON_MALFORMED',
      message: 'The body is not valid UTF-8.',
    });
  });
});

describe('the limit of a body', () => {
  const text = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`;

  test('holds exactly as many bytes as it says', async () => {
    expect(await read(text(limitBytes))).toHaveLength(limitBytes - 2);
  });

  test('refuses one byte more before reading any of it', async () => {
    const request = requestOf([text(limitBytes + 1)]);
    await expect(readJsonBody(request, limitBytes)).rejects.toMatchObject({
      type: 'BODY_TOO_LARGE',
      data: { headers: { Connection: 'close' } },
    });
    expect(request.readableDidRead).toBe(false);
  });

  test('holds for a body that does not say how long it is', async () => {
    const request = requestOf([text(600), text(600)], { 'content-length': '', 'transfer-encoding': 'chunked' });
    await expect(readJsonBody(request, limitBytes)).rejects.toMatchObject({ type: 'BODY_TOO_LARGE' });
  });
});

describe('the structure of a body', () => {
  test('may be 64 levels deep', async () => {
    expect(JSON.stringify(await read(nested(64)))).toBe(nested(64));
  });

  test('is refused with one level more', async () => {
    await expect(read(nested(65))).rejects.toMatchObject({
      type: 'INPUT_INVALID',
      data: { details: [{ path: 'body' }] },
    });
  });

  test('cannot exhaust the stack', async () => {
    const request = requestOf([nested(100_000)]);
    await expect(readJsonBody(request, 1_000_000)).rejects.toMatchObject({ type: 'INPUT_INVALID' });
  });

  test.each([
    ['{"__proto__":{"admin":true}}', 'body.__proto__'],
    ['{"a":[{"__proto__":1}]}', 'body.a.0.__proto__'],
    ['{"\\u005f_proto__":1}', 'body.__proto__'],
  ])('cannot carry a prototype: %s', async (text, path) => {
    await expect(read(text)).rejects.toMatchObject({ type: 'INPUT_INVALID', data: { details: [{ path }] } });
  });
});
