import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readForm } from '../../../http/read-body.ts';

const urlencoded = 'application/x-www-form-urlencoded';

function post(body: string | Buffer, headers: Record<string, string> = {}): IncomingMessage {
  const bytes = Buffer.from(body as string);
  const all = { 'content-type': urlencoded, 'content-length': String(bytes.length), ...headers };
  return Object.assign(Readable.from(bytes.length > 0 ? [bytes] : []), { headers: all }) as unknown as IncomingMessage;
}

describe('readForm', () => {
  test('reads what a browser makes of a form', async () => {
    const form = await readForm(post('email=ada%40example.com&name=Ada+Moreau&empty=&line=a%0D%0Ab'));
    expect({ ...form }).toEqual({ email: 'ada@example.com', name: 'Ada Moreau', empty: '', line: 'a\nb' });
  });

  test('gives back every form that was encoded', async () => {
    // A field of this name is refused.
    const name = fc.string({ unit: 'grapheme' }).filter((text) => text !== '__proto__');
    const fields = fc.dictionary(name, fc.string({ unit: 'grapheme' }));
    await fc.assert(
      fc.asyncProperty(fields, async (expected) => {
        const form = await readForm(post(String(new URLSearchParams(expected))));
        const lines = Object.entries(expected).map(([name, value]) => [name, value.replace(/\r\n?/g, '\n')]);
        expect(Object.entries(form)).toEqual(lines);
      }),
    );
  });

  test('has no fields of its own', async () => {
    const form = await readForm(post('toString=x&a=b'));
    expect(form.valueOf).toBeUndefined();
    expect(Object.keys(form)).toEqual(['toString', 'a']);
  });

  test.each([
    ['a field twice', 'email=a&email=b', {}, 'INPUT_INVALID'],
    ['a prototype', '__proto__=x&a=b', {}, 'INPUT_INVALID'],
    ['bytes that are no UTF-8', Buffer.from([0x61, 0x3d, 0xff]), {}, 'INPUT_INVALID'],
    ['percent-encoded bytes that are no UTF-8', 'a=%ff%fe', {}, 'INPUT_INVALID'],
    ['JSON', '{}', { 'content-type': 'application/json' }, 'CONTENT_TYPE_UNSUPPORTED'],
    ['a multipart form', '', { 'content-type': 'multipart/form-data; boundary=x' }, 'CONTENT_TYPE_UNSUPPORTED'],
    ['no type', 'a=b', { 'content-type': '' }, 'CONTENT_TYPE_UNSUPPORTED'],
    ['another charset', 'a=b', { 'content-type': `${urlencoded}; charset=latin1` }, 'CONTENT_TYPE_UNSUPPORTED'],
    ['a compressed form', 'a=b', { 'content-encoding': 'gzip' }, 'CONTENT_TYPE_UNSUPPORTED'],
    ['a form over the limit', `a=${'b'.repeat(70_000)}`, {}, 'BODY_TOO_LARGE'],
    ['a form that hides how long it is', `a=${'b'.repeat(70_000)}`, { 'content-length': '5' }, 'BODY_TOO_LARGE'],
  ])('refuses %s', async (_name, body, headers, type) => {
    await expect(readForm(post(body as string, headers as Record<string, string>))).rejects.toMatchObject({ type });
  });

  test('takes UTF-8 that is named', async () => {
    expect(await readForm(post('a=%C3%A9', { 'content-type': `${urlencoded}; charset=UTF-8` }))).toMatchObject({
      a: 'é',
    });
  });
});
