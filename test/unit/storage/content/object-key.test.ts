import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  defaultKey,
  encodeKey,
  fileNameOf,
  keyFromSegments,
  maxKeyBytes,
  objectKey,
} from '../../../../services/storage/content/object-key.ts';
import { anyCodePoint } from '../../../support/code-points.ts';

const anyText = fc.oneof(fc.string({ unit: anyCodePoint }), fc.string({ unit: 'grapheme' }), fc.string());
const key = fc
  .array(anyText, { minLength: 1, maxLength: 4 })
  .map((segments) => objectKey.safeParse(segments.join('/')))
  .filter(({ success }) => success)
  .map(({ data }) => data!);
const messageOf = (text: unknown): string | undefined => objectKey.safeParse(text).error?.issues[0]?.message;

describe('a key', () => {
  test.each([
    'a',
    'a/b/c.png',
    'ein Bild (1).png',
    'a%2Fb',
    '50%',
    'a+b',
    '写真/日本.jpg',
    '😀.png',
    '...',
    '.hidden',
    'a/..b',
    '\u202eb',
    ' ',
    'a?b#c&d=e',
    "it's!*",
    'x'.repeat(maxKeyBytes),
    'é'.repeat(maxKeyBytes / 2),
  ])('can be %j', (text) => {
    expect(objectKey.parse(text)).toBe(text);
  });

  test.each([
    ['', /^Required\.$/],
    ['x'.repeat(maxKeyBytes + 1), /at most 1024 bytes/],
    [`${'é'.repeat(maxKeyBytes / 2)}x`, /at most 1024 bytes/],
    ['a\ud800', /surrogate/],
    ['\udc00\ud800', /surrogate/],
    ['a\0', /control/],
    ['a\nb', /control/],
    ['\x7f', /control/],
    ['\x85', /control/],
    ['a\u2028b', /control/],
    ['a\\b', /backslash/],
    ['/a', /begin or end with "\/"/],
    ['a/', /begin or end with "\/"/],
    ['a//b', /begin or end with "\/"/],
    ['/', /begin or end with "\/"/],
    ['.', /"\."/],
    ['..', /"\."/],
    ['a/../b', /"\."/],
    ['a/.', /"\."/],
  ])('cannot be %j', (text, message) => {
    expect(messageOf(text)).toMatch(message);
    expect(objectKey.safeParse(text).error?.issues).toHaveLength(1);
  });

  test.each([[7], [null], [['a']], [{ $gt: '' }]])('cannot be %j, which is no text', (value) => {
    expect(objectKey.safeParse(value).success).toBe(false);
  });

  test('is the same in NFC and NFD', () => {
    expect(objectKey.parse('Cafe\u0301.png')).toBe('Caf\u00e9.png');
    // It is measured after it is normalised.
    expect(objectKey.parse('e\u0301'.repeat(maxKeyBytes / 2))).toBe('é'.repeat(maxKeyBytes / 2));
    expect(messageOf('\u0958'.repeat(maxKeyBytes / 3))).toMatch(/at most/);
  });

  test('stays as it is when it is parsed again', () => {
    fc.assert(fc.property(key, (parsed) => expect(objectKey.parse(parsed)).toBe(parsed)));
  });
});

describe('the segments of a path', () => {
  test.each([
    [['a'], 'a'],
    [['a', 'b.png'], 'a/b.png'],
    [['a/b', 'c'], 'a/b/c'],
    [['a%2Fb'], 'a%2Fb'],
    [['cafe\u0301'], 'café'],
  ])('%j make the key %j', (segments, made) => {
    expect(keyFromSegments(segments)).toBe(made);
  });

  test.each([[[]], [['']], [['a', '']], [['', 'a']], [['..', 'a']], [['a/../b']], [['a\0']]])(
    '%j are refused',
    (segments) => {
      const details = [{ path: 'path.key', message: expect.stringMatching(/^(Required|Must .+)\.$/) }];
      const refusal = expect.objectContaining({ type: 'INPUT_INVALID', code: 400, data: { details } });
      let error: unknown;
      try {
        keyFromSegments(segments);
      } catch (caught) {
        error = caught;
      }
      expect(error).toEqual(refusal);
    },
  );
});

describe('a key in a URL', () => {
  test.each([
    ['a/b', 'a/b'],
    ['a b+c', 'a%20b%2Bc'],
    ['a%2Fb', 'a%252Fb'],
    ["!'()*", '%21%27%28%29%2A'],
    ['é😀', '%C3%A9%F0%9F%98%80'],
    ['-_.~', '-_.~'],
    ['a?b#c', 'a%3Fb%23c'],
  ])('%j is %j', (text, encoded) => {
    expect(encodeKey(text)).toBe(encoded);
  });

  test('is decoded once to what it was, and holds only unreserved characters, percent and slash', () => {
    fc.assert(
      fc.property(key, (text) => {
        const { pathname } = new URL(`https://cdn.example/cdn/bucket/${encodeKey(text)}`);
        const segments = pathname.split('/').slice(3).map(decodeURIComponent);
        expect(keyFromSegments(segments)).toBe(text);
        expect(encodeKey(text)).toMatch(/^[\w.~%/-]+$/);
      }),
    );
  });
});

describe('the key of an object that was uploaded without one', () => {
  const id = 'obj_0123456789abcdefghijklmn';

  test.each([
    ['photo.png', 'photo.png'],
    [null, 'file'],
    ['', 'file'],
    ['  ', 'file'],
    ['.', 'file'],
    ['..', 'file'],
    ['./..', '...'],
    ['/', 'file'],
    ['\0\n', 'file'],
    ['a/b\\c\0d\n.png', 'abcd.png'],
    [' a b .txt ', 'a b .txt'],
    ['e\0\u0301', 'é'],
    ['\ud83d\0\ude00', 'file'],
    ['a\ud800b', 'ab'],
    ['写真.jpg', '写真.jpg'],
    ['.env', '.env'],
  ])('ends for the file name %j with %j', (fileName, segment) => {
    expect(defaultKey(id, fileName)).toBe(`${id}/${segment}`);
  });

  test.each([
    [`${'a'.repeat(2000)}.tar.gz`, /^a+\.tar\.gz$|^a+\.gz$/],
    [`${'😀'.repeat(500)}.png`, /^(?:😀)+\.png$/u],
    [`a.${'x'.repeat(2000)}`, /^a\.x+$/],
    [`.${'x'.repeat(2000)}`, /^\.x+$/],
    ['é'.repeat(2000), /^é+$/],
  ])('is shortened before the extension, at a character', (fileName, form) => {
    const made = defaultKey(id, fileName);
    expect(fileNameOf(made)).toMatch(form);
    expect(Buffer.byteLength(made)).toBeLessThanOrEqual(maxKeyBytes);
    expect(Buffer.byteLength(made)).toBeGreaterThan(maxKeyBytes - 4);
  });

  test('is a valid key of two segments for any file name', () => {
    const fileName = fc.oneof(anyText, fc.string({ unit: anyCodePoint, minLength: 900, maxLength: 1500, size: 'max' }));
    fc.assert(
      fc.property(fileName, (name) => {
        const made = defaultKey(id, name);
        expect(objectKey.parse(made)).toBe(made);
        expect(made.split('/')).toEqual([id, fileNameOf(made)]);
      }),
    );
  });
});

test.each([
  ['a', 'a'],
  ['a/b/c.png', 'c.png'],
])('the file name of %j is %j', (text, fileName) => {
  expect(fileNameOf(text)).toBe(fileName);
});
