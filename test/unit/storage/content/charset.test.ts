import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  contentTypeOf,
  declaredCharset,
  findCharset,
  takesCharset,
} from '../../../../services/storage/content/charset.ts';

type Options = { type?: string; declared?: string | null; chunkBytes?: number };

/** The charset of content that arrives in chunks, whose memory is used again afterwards. */
function charsetOf(content: string | Buffer, { type = 'text/plain', declared = null, chunkBytes = 7 }: Options = {}) {
  const bytes = Buffer.from(content);
  const finder = findCharset({ type, declared, head: bytes.subarray(0, 4096) });
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    const chunk = Buffer.from(bytes.subarray(start, start + chunkBytes));
    finder.push(chunk);
    chunk.fill(0xff);
  }
  return finder.charset();
}

const latin1 = (text: string) => Buffer.from(text, 'latin1');

describe('the charset of text', () => {
  test.each([
    ['', 'utf-8'],
    ['plain', 'utf-8'],
    ['Grüße, 日本語 🚲', 'utf-8'],
    ['\ufeffGrüße', 'utf-8'],
    [`${'a'.repeat(5000)}é`, 'utf-8'],
    ['\x1b[31mrot: é\x1b[0m', 'utf-8'],
    [latin1('Grüße'), null],
    [latin1(`${'a'.repeat(5000)}é`), null],
    [Buffer.concat([Buffer.from('é'.repeat(4000)), latin1('é')]), null],
    [Buffer.from('é🚲').subarray(0, 5), null],
    [Buffer.from('\ufeffGrüße', 'utf16le'), null],
    // Surrogates, an overlong form, and beyond the last character of Unicode.
    [Buffer.from([0xed, 0xa0, 0x80]), null],
    [Buffer.from([0xc0, 0xaf]), null],
    [Buffer.from([0xf4, 0x90, 0x80, 0x80]), null],
    // "日本" in ISO-2022-JP, whose bytes are ASCII.
    ['\x1b$BF|K\\\x1b(B', null],
  ])('is found from all of its bytes: %#', (content, charset) => {
    for (const chunkBytes of [1, 2, 3, 4096, 1_000_000]) expect(charsetOf(content, { chunkBytes })).toBe(charset);
  });

  test('is UTF-8 of all texts in UTF-8, however they are cut', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 9 }), (text, chunkBytes) => {
        expect(charsetOf(text.replaceAll('\x1b', ''), { chunkBytes })).toBe('utf-8');
      }),
    );
  });

  test('is UTF-8 of just those bytes that a strict decoder takes', () => {
    const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array.filter((byte) => byte !== 0x1b)));
    fc.assert(
      fc.property(bytes, fc.integer({ min: 1, max: 9 }), (content, chunkBytes) => {
        expect(charsetOf(content, { chunkBytes })).toBe(isDecoded(content) ? 'utf-8' : null);
      }),
    );
  });

  test.each([
    ['text/plain; charset=iso-8859-1', 'iso-8859-1'],
    ['text/plain; charset=ISO-8859-1', 'iso-8859-1'],
    ['text/plain;charset="Shift_JIS"', 'shift_jis'],
    ['text/plain; format=flowed; CHARSET=windows-1251', 'windows-1251'],
    ['text/plain; name="; charset=koi8-r"; charset=utf-8', 'utf-8'],
    ['text/plain; charset=utf-8; charset=latin1', 'utf-8'],
    ['text/plain; charset=iso-8859-16', 'iso-8859-16'],
  ])('is the declared one: %s', (declared, charset) => {
    expect(charsetOf(latin1('Grüße'), { declared })).toBe(charset);
    expect(charsetOf('Grüße', { declared })).toBe(charset);
  });

  test.each([
    'text/plain',
    'text/plain; charset',
    'text/plain; charset=',
    'text/plain; charset=klingon',
    'text/plain; charset="utf-8\r\nx: y"',
    'text/plain; charset="a b"',
    'text/plain; charset=utf-7',
    'text/plain; charset=utf-8,iso-8859-1',
    'text/plain; charset=*',
    '; charset=utf-8',
    '',
    null,
  ])('is not declared by %j', (declared) => {
    expect(declaredCharset(declared)).toBeNull();
    expect(charsetOf('Grüße', { declared })).toBe('utf-8');
    expect(charsetOf(latin1('Grüße'), { declared })).toBeNull();
  });

  test.each([
    ['text/html', '<!doctype html><meta charset="iso-2022-jp">', null],
    ['text/html', '<meta http-equiv=content-type content="text/html; charset=windows-1251">', null],
    ['text/html', '<meta charset=UTF-8>é', 'utf-8'],
    ['text/html', '<meta charset=utf-16>é', 'utf-8'],
    ['text/html', '<meta charset=klingon>é', 'utf-8'],
    ['text/html', '\ufeff<meta charset=iso-8859-1>é', 'utf-8'],
    ['text/plain', '<meta charset=iso-8859-1>é', 'utf-8'],
    ['application/xml', '<?xml version="1.0" encoding="ISO-8859-1"?><a/>', null],
    ['application/xml', "<?xml version='1.0' encoding='utf8'?><a>é</a>", 'utf-8'],
    ['application/atom+xml', '<?xml version="1.0"?><a encoding="latin1">é</a>', 'utf-8'],
    ['image/svg+xml', '<?xml version="1.0" encoding="koi8-r"?><svg/>', null],
    ['text/css', '@charset "windows-1252";', null],
    ['text/css', '@charset "utf-8"; a::before { content: "é" }', 'utf-8'],
  ])('of %s is left to a document that names another encoding: %s', (type, content, charset) => {
    expect(charsetOf(content, { type })).toBe(charset);
    expect(charsetOf(content, { type, declared: `${type}; charset=euc-kr` })).toBe('euc-kr');
  });
});

test.each([
  ['text/html', true],
  ['text/css', true],
  ['text/csv', true],
  ['text/markdown', true],
  ['application/xml', true],
  ['application/json', true],
  ['application/geo+json', true],
  ['image/svg+xml', true],
  ['application/yaml', true],
  ['image/png', false],
  ['application/pdf', false],
  ['application/octet-stream', false],
  ['message/rfc822', false],
  ['multipart/related', false],
])('%s has a charset: %s', (type, has) => {
  expect(takesCharset(type)).toBe(has);
  expect(charsetOf('a', { type, declared: `${type}; charset=utf-8` })).toBe(has ? 'utf-8' : null);
});

test('a Content-Type has the charset where there is one', () => {
  expect(contentTypeOf({ mimeType: 'text/csv', charset: 'utf-8' })).toBe('text/csv; charset=utf-8');
  expect(contentTypeOf({ mimeType: 'text/csv', charset: null })).toBe('text/csv');
  expect(contentTypeOf({ mimeType: 'text/csv' })).toBe('text/csv');
});

function isDecoded(content: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(content);
    return true;
  } catch {
    return false;
  }
}
