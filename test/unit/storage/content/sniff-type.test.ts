import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { canonicalType, isTextual, parseType } from '../../../../services/storage/content/media-type.ts';
import { signatures } from '../../../../services/storage/content/signatures.ts';
import { decideType, sniffedBytes } from '../../../../services/storage/content/sniff-type.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
/** Bytes as after a signature: no text. */
const rest = '\0\x01\x02\0'.repeat(64);
const padded = (offset: number, text: string): string => '\0'.repeat(offset) + text;

type Hints = { declared?: string | null; fileName?: string | null };

function typeOf(content: string | Buffer, { declared = null, fileName = null }: Hints = {}): string {
  const head = (typeof content === 'string' ? bytes(content) : content).subarray(0, sniffedBytes);
  return decideType({ head, declared, fileName }, 'body.file').type;
}

function refusalOf(content: string | Buffer, hints: Hints): unknown {
  try {
    return typeOf(content, hints);
  } catch (error) {
    return error;
  }
}

const refusal = (message: unknown) =>
  expect.objectContaining({ type: 'INPUT_INVALID', code: 400, data: { details: [{ path: 'body.file', message }] } });
const contradiction = refusal(expect.stringMatching(/^The file is .+, not .+ as declared; .+\.$/));

const ftyp = (...brands: string[]): string =>
  `\0\0\0${String.fromCharCode(12 + brands.length * 4)}ftyp${brands[0]}\0\0\x02\0${brands.slice(1).join('')}${rest}`;
const ebml = (docType: string): string =>
  `\x1aE\xdf\xa3\x93\x42\x82${String.fromCharCode(0x80 + docType.length)}${docType}${rest}`;
const oggPage = (codec: string): string => `OggS\0\x02${'\0'.repeat(22)}${codec}${rest}`;
/** MPEG-1 layer III, 128 kbit/s, 44,100 Hz: 417 bytes. */
const mp3Frame = `\xff\xfb\x90\x00${'\0'.repeat(413)}`;
/** MPEG-2 layer III, 64 kbit/s, 22,050 Hz: 208 bytes. */
const mp3FrameOfVersion2 = `\xff\xf3\x80\x00${'\0'.repeat(204)}`;
const adtsFrame = `\xff\xf1\x50\x80\x03\x1f\xfc${'\0'.repeat(17)}`;
const windowsProgram = `MZ${'\0'.repeat(58)}\x80\0\0\0${'\0'.repeat(64)}PE\0\0${rest}`;
const shoutedHtml = '\n\t <!DocType HTML>';
const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');
const utf16BigEndian = (text: string): Buffer => utf16(text).swap16();

describe('the type of content with a signature', () => {
  test.each([
    ['image/png', `\x89PNG\r\n\x1a\n${rest}`],
    ['image/jpeg', `\xff\xd8\xff\xe0\0\x10JFIF${rest}`],
    ['image/gif', `GIF87a${rest}`],
    ['image/gif', `GIF89a${rest}`],
    ['image/webp', `RIFF\x24\0\0\0WEBPVP8 ${rest}`],
    ['image/avif', ftyp('avif', 'mif1', 'miaf')],
    ['image/avif', ftyp('mif1', 'miaf', 'avif')],
    ['image/heic', ftyp('heic', 'mif1')],
    ['image/heic', ftyp('msf1', 'hevc')],
    ['image/heif', ftyp('mif1', 'miaf')],
    ['image/bmp', `BM\x36\x10\0\0\0\0\0\0\x36\0\0\0${rest}`],
    ['image/vnd.microsoft.icon', `\0\0\x01\0\x01\0\x10\x10\0\0${rest}`],
    ['image/tiff', `II*\0${rest}`],
    ['image/tiff', `MM\0*${rest}`],
    ['image/jxl', `\xff\x0a${rest}`],
    ['image/jxl', `\0\0\0\x0cJXL \r\n\x87\n${rest}`],
    ['image/vnd.adobe.photoshop', `8BPS\0\x01${rest}`],
    ['application/pdf', `%PDF-1.7\n%\xe2\xe3\xcf\xd3\n${rest}`],
    ['application/postscript', '%!PS-Adobe-3.0'],
    ['application/rtf', '{\\rtf1\\ansi}'],
    ['application/x-ole-storage', `\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1${rest}`],
    ['application/vnd.sqlite3', `SQLite format 3\0${rest}`],
    ['application/zip', `PK\x03\x04${rest}`],
    ['application/zip', `PK\x05\x06${'\0'.repeat(18)}`],
    ['application/gzip', `\x1f\x8b\x08${rest}`],
    ['application/x-bzip2', `BZh91AY&SY${rest}`],
    ['application/x-xz', `\xfd7zXZ\0${rest}`],
    ['application/zstd', `\x28\xb5\x2f\xfd${rest}`],
    ['application/x-7z-compressed', `7z\xbc\xaf\x27\x1c${rest}`],
    ['application/vnd.rar', `Rar!\x1a\x07\x01\0${rest}`],
    ['application/x-tar', padded(257, `ustar\x0000${rest}`)],
    ['video/mp4', ftyp('isom', 'iso2', 'avc1')],
    ['video/mp4', ftyp('mp42')],
    ['audio/mp4', ftyp('M4A ', 'mp42')],
    ['video/quicktime', ftyp('qt  ')],
    ['video/quicktime', `\0\0\x10\0moov${rest}`],
    ['video/3gpp', ftyp('3gp4')],
    ['video/3gpp2', ftyp('3g2a')],
    ['video/webm', ebml('webm')],
    ['video/x-matroska', ebml('matroska')],
    ['audio/ogg', oggPage('OpusHead')],
    ['audio/ogg', oggPage('\x01vorbis')],
    ['video/ogg', oggPage('\x80theora')],
    ['application/ogg', oggPage('unknown')],
    ['audio/mpeg', `ID3\x04\0${rest}`],
    ['audio/mpeg', mp3Frame.repeat(2)],
    ['audio/mpeg', mp3Frame],
    ['audio/mpeg', mp3FrameOfVersion2.repeat(2)],
    ['audio/aac', adtsFrame.repeat(2)],
    ['audio/wav', `RIFF\x24\0\0\0WAVEfmt ${rest}`],
    ['audio/aiff', `FORM\0\0\x10\0AIFF${rest}`],
    ['audio/flac', `fLaC\0${rest}`],
    ['audio/midi', `MThd\0\0\0\x06\0\x01${rest}`],
    ['video/x-msvideo', `RIFF\x24\0\0\0AVI LIST${rest}`],
    ['video/mpeg', `\0\0\x01\xba${rest}`],
    ['video/mp2t', `G${'\0'.repeat(187)}`.repeat(3)],
    ['font/woff', `wOFF\0\x01\0\0${rest}`],
    ['font/woff2', `wOF2\0\x01\0\0${rest}`],
    ['font/ttf', `\0\x01\0\0\0\x10${rest}`],
    ['font/otf', `OTTO\0\x10${rest}`],
    ['font/collection', `ttcf\0\x01${rest}`],
    ['application/wasm', `\0asm\x01\0\0\0${rest}`],
    ['application/x-shockwave-flash', `CWS\x0a${rest}`],
    ['application/octet-stream', windowsProgram],
    ['application/octet-stream', `\x7fELF\x02\x01${rest}`],
    ['application/octet-stream', `\xcf\xfa\xed\xfe${rest}`],
  ])('is %s', (type, content) => {
    expect(typeOf(content)).toBe(type);
    // A name contradicts nothing.
    expect(typeOf(content, { fileName: 'invoice.md' })).toBe(type);
    if (type !== 'application/octet-stream') expect(typeOf(content, { declared: type })).toBe(type);
    expect(refusalOf(content, { declared: 'text/html' })).toEqual(contradiction);
    expect(refusalOf(content, { declared: 'image/x-unheard-of' })).toEqual(
      ['image/tiff', 'application/x-ole-storage', 'video/mp4'].includes(type) ? 'image/x-unheard-of' : contradiction,
    );
  });

  test('is in the table under canonical names, and none of them is a type of text', () => {
    const types = signatures.flatMap(({ type, compatible = [] }) => [type, ...compatible]);
    expect(types.filter((type) => parseType(type) !== type || canonicalType(type) !== type || isTextual(type))).toEqual(
      [],
    );
  });

  test.each([
    ['a ZIP archive named .docx', `PK\x03\x04${rest}`, { fileName: 'Report.DOCX' }, /wordprocessingml/],
    [
      'a ZIP archive declared as a spreadsheet',
      `PK\x03\x04${rest}`,
      { declared: 'application/vnd.oasis.opendocument.spreadsheet' },
      /spreadsheet$/,
    ],
    [
      'a ZIP archive of an unknown program',
      `PK\x03\x04${rest}`,
      { declared: 'application/vnd.acme' },
      /^application\/vnd\.acme$/,
    ],
    ['a ZIP archive named .png', `PK\x03\x04${rest}`, { fileName: 'a.png' }, /^application\/zip$/],
    ['an old document named .xls', `\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1${rest}`, { fileName: 'a.xls' }, /ms-excel$/],
    ['an MPEG-4 file with sound alone', ftyp('isom'), { declared: 'audio/x-m4a' }, /^audio\/mp4$/],
    [
      'a recording declared with its codecs',
      ebml('matroska'),
      { declared: 'Video/WebM; codecs="vp9,opus"' },
      /^video\/webm$/,
    ],
    [
      'a Windows program that is declared',
      windowsProgram,
      { declared: 'application/x-msdownload' },
      /portable-executable$/,
    ],
    ['a raw photograph', `II*\0${rest}`, { declared: 'image/x-adobe-dng' }, /dng$/],
  ])('is of %s the one that its hints add', (_what, content, hints, type) => {
    expect(typeOf(content, hints)).toMatch(type);
  });

  test.each([
    ['image/jpg', `\xff\xd8\xff${rest}`, 'image/jpeg'],
    ['application/x-zip-compressed', `PK\x03\x04${rest}`, 'application/zip'],
    ['audio/mp3', mp3Frame, 'audio/mpeg'],
    ['audio/x-wav', `RIFF\x24\0\0\0WAVE${rest}`, 'audio/wav'],
    ['image/x-icon', `\0\0\x01\0\x01\0\x10\x10\0\0${rest}`, 'image/vnd.microsoft.icon'],
    ['application/javascript', 'alert(1)', 'text/javascript'],
    ['text/xml', '<?xml version="1.0"?><a/>', 'application/xml'],
  ])('is stored under one name when it is declared as %s', (declared, content, type) => {
    expect(typeOf(content, { declared })).toBe(type);
  });

  test.each([null, '', ' ', 'application/octet-stream', 'binary/octet-stream', 'Application/Octet-Stream'])(
    'is decided by the bytes alone when %j is declared',
    (declared) => {
      expect(typeOf(`GIF89a${rest}`, { declared })).toBe('image/gif');
    },
  );

  test('contradicts another declared type, and the message names both', () => {
    expect(refusalOf(`\x89PNG\r\n\x1a\n${rest}`, { declared: 'image/jpg; q=1' })).toEqual(
      refusal('The file is a PNG image, not image/jpg as declared; declare its actual type or none.'),
    );
  });

  test.each([
    ['a ZIP archive', `PK\x03\x04${rest}`, 'image/png'],
    ['a ZIP archive', `PK\x03\x04${rest}`, 'application/pdf'],
    ['a ZIP archive', `PK\x03\x04${rest}`, 'application/json'],
    ['a ZIP archive', `PK\x03\x04${rest}`, 'application/javascript'],
    ['a GIF image', `GIF89a${rest}`, 'application/vnd.acme'],
    ['a program', windowsProgram, 'application/pdf'],
  ])('of %s contradicts it', (_what, content, declared) => {
    expect(refusalOf(content, { declared })).toEqual(contradiction);
  });
});

describe('a polyglot', () => {
  test('of GIF and JavaScript is a GIF image', () => {
    const polyglot = 'GIF89a/*\n*/=1;alert(1)';
    expect(typeOf(polyglot, { fileName: 'a.js' })).toBe('image/gif');
    expect(refusalOf(polyglot, { declared: 'text/javascript' })).toEqual(contradiction);
  });

  test('with PDF after its start is no PDF document', () => {
    expect(typeOf('\n%PDF-1.7\n')).toBe('text/plain');
    expect(typeOf(`\0%PDF-1.7${rest}`)).toBe('application/octet-stream');
    expect(refusalOf(`\0%PDF-1.7${rest}`, { declared: 'application/pdf' })).toEqual(contradiction);
    expect(typeOf(`<html>%PDF-1.7${rest}`)).toBe('text/html');
  });

  test('of HTML and binary bytes is HTML', () => {
    expect(typeOf(`<script>alert(1)</script>${rest}`, { fileName: 'a.png' })).toBe('text/html');
  });
});

describe('the type of markup', () => {
  test.each([
    ...['<html>', '<HEAD>', '<script src=a>', '<iframe >', '<h1>', '<div>', '<font >', '<table>', '<a href=b>'],
    ...['<style>', '<title>', '<b>', '<body onload=a>', '<br>', '<p>', '<!-- a -->', '<!-->', shoutedHtml, '<br/>'],
    '\xef\xbb\xbf<!DOCTYPE html>',
    '<!-- <svg> --><html>',
    '<!DOCTYPE html><svg></svg>',
  ])('%j is HTML', (text) => {
    expect(typeOf(text)).toBe('text/html');
    expect(typeOf(text, { fileName: 'photo.png' })).toBe('text/html');
    expect(refusalOf(text, { declared: 'image/png', fileName: 'photo.png' })).toEqual(contradiction);
    expect(refusalOf(text, { declared: 'application/json' })).toEqual(contradiction);
    expect(refusalOf(text, { declared: 'application/vnd.acme' })).toEqual(contradiction);
  });

  test.each(['<svg xmlns="http://www.w3.org/2000/svg">', '<svg/>', '<svg', '<?xml version="1.0"?>\n<svg>'])(
    '%j is SVG',
    (text) => {
      expect(typeOf(text)).toBe('image/svg+xml');
    },
  );

  test.each([
    '\xef\xbb\xbf<?xml version="1.0"?><!-- Made by hand --><svg:svg>',
    '<!-- <html> --><svg>',
    '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd" [<!ENTITY a "b">]>\r\n<svg>',
  ])('%j is SVG after comments and declarations', (text) => {
    expect(typeOf(text, { fileName: 'photo.png' })).toBe('image/svg+xml');
    expect(refusalOf(text, { declared: 'image/png' })).toEqual(contradiction);
  });

  test.each(['<?xml version="1.0"?><rss>', '<?xml version="1.0"?><svgs>', '<?xml version="1.0"?><SVG>'])(
    '%j is XML',
    (text) => {
      expect(typeOf(text)).toBe('application/xml');
      expect(typeOf(text, { declared: 'application/atom+xml' })).toBe('application/atom+xml');
      expect(typeOf(text, { declared: 'application/vnd.acme' })).toBe('application/vnd.acme');
    },
  );

  test.each([utf16('<html>'), utf16BigEndian('<html>')])('is recognised in UTF-16', (content) => {
    expect(typeOf(content)).toBe('text/html');
  });

  test.each(['<h1/title', '<htm>', '<bold>', '<section>', '< html>', 'a <html>', '<!doctype htmlx>'])(
    '%j is none',
    (text) => {
      expect(typeOf(text)).toBe(text === '<h1/title' ? 'text/html' : 'text/plain');
    },
  );

  test.each(['text/markdown', 'text/plain', 'text/x-handlebars', 'application/xhtml+xml'])('can be %s', (declared) => {
    expect(typeOf('<p align="center">', { declared })).toBe(declared);
  });

  test('is found in time in 4,096 bytes of any of its parts', () => {
    for (const part of ['<!--', '<!DOCTYPE a[', '<?', ' ', '<', '[', '<!-- -->', '<?a?>']) {
      expect(typeOf(part.repeat(sniffedBytes / part.length))).toMatch(/^(?:text\/plain|text\/html)$/);
    }
  });
});

describe('the type of text', () => {
  test.each([
    ['text/plain', 'a,b\n1,2', {}],
    ['text/csv', 'a,b\n1,2', { fileName: 'a.CSV' }],
    ['text/markdown', '# A', { fileName: 'README.md' }],
    ['application/json', '{}', { fileName: 'a.json' }],
    ['text/javascript', 'alert(1)', { fileName: 'a.mjs' }],
    ['application/yaml', 'a: b', { fileName: 'a.yml' }],
    ['text/calendar', 'BEGIN:VCALENDAR', { fileName: 'a.ics' }],
    ['text/vtt', 'WEBVTT', { fileName: 'a.vtt' }],
    ['application/x-subrip', '1', { fileName: 'a.srt' }],
    ['text/plain', 'a', { fileName: 'a.svg' }],
    ['text/plain', 'a', { fileName: 'a.png' }],
    ['text/plain', 'a', { fileName: 'a.docx' }],
    ['text/plain', 'a', { fileName: 'csv' }],
    ['text/csv', 'a,b', { declared: 'text/csv; charset=UTF-8; header=present', fileName: 'a.json' }],
    ['application/problem+json', '{}', { declared: 'application/problem+json' }],
    ['text/html', 'Hello', { declared: 'text/html' }],
    ['image/svg+xml', 'Hello', { declared: 'image/svg+xml' }],
    ['application/vnd.acme', 'Hello', { declared: 'application/vnd.acme' }],
    ['text/csv', 'a,b', { declared: 'application/vnd.ms-excel', fileName: 'a.csv' }],
    ['text/plain', 'let a: B', { declared: 'video/mp2t', fileName: 'a.ts' }],
    ['text/plain', '\x1b[31mred\x1b[0m\t\f\r\n', {}],
    ['text/plain', 'BMW, OTTO, MZ and ID3', {}],
    ['text/plain', 'ID3 is a format', {}],
    ['text/plain', 'OTTO', {}],
  ])('is %s for %j with %j', (type, text, hints) => {
    expect(typeOf(Buffer.from(text), hints)).toBe(type);
  });

  test.each([
    'image/png',
    'application/pdf',
    'audio/mpeg',
    'video/mp2t',
    'application/x-tar',
    'application/vnd.ms-excel',
  ])('cannot be %s', (declared) => {
    expect(refusalOf('hello', { declared })).toEqual(
      refusal(`The file is text, not ${declared} as declared; declare its actual type or none.`),
    );
  });

  test.each([utf16('größe'), utf16BigEndian('größe')])('is recognised in UTF-16 with a byte order mark', (content) => {
    expect(typeOf(content)).toBe('text/plain');
    expect(typeOf(content, { fileName: 'a.csv' })).toBe('text/csv');
  });

  test('may end in the middle of a character where the head ends, and nowhere else', () => {
    for (const character of ['é', '€', '😀']) {
      for (let cut = 1; cut < Buffer.byteLength(character); cut += 1) {
        const text = Buffer.from('a'.repeat(sniffedBytes - cut) + character);
        expect(typeOf(text)).toBe('text/plain');
        expect(typeOf(text.subarray(0, sniffedBytes).subarray(100))).toBe('application/octet-stream');
      }
    }
  });

  test('in another encoding is what is declared or named', () => {
    const latin1 = bytes('gr\xf6\xdfe;1\r\n');
    expect(typeOf(latin1, { declared: 'text/csv; charset=iso-8859-1' })).toBe('text/csv');
    expect(typeOf(latin1, { fileName: 'a.csv' })).toBe('text/csv');
    expect(typeOf(latin1)).toBe('application/octet-stream');
    expect(refusalOf(latin1, { declared: 'image/png' })).toEqual(contradiction);
  });

  test('in Unicode is never binary', () => {
    const printable = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 400 });
    fc.assert(
      fc.property(printable, (text) => {
        expect(typeOf(Buffer.from(text))).toMatch(
          /^(?:text\/(?:plain|html)|image\/gif|application\/(?:pdf|rtf|postscript|xml))$/,
        );
      }),
    );
  });
});

describe('the type of binary content without a signature', () => {
  test.each([
    ['application/octet-stream', null],
    ['application/octet-stream', 'application/octet-stream'],
    ['application/vnd.acme', 'application/vnd.acme'],
    ['model/gltf-binary', 'model/gltf-binary'],
    ['audio/mpeg', 'audio/mpeg'],
    ['application/x-tar', 'application/x-tar'],
  ])('is %s when %j is declared', (type, declared) => {
    expect(typeOf(rest, { declared, fileName: 'a.csv' })).toBe(type);
  });

  test.each([
    'image/png',
    'application/pdf',
    'application/zip',
    'text/plain',
    'text/html',
    'application/json',
    'font/woff2',
  ])('cannot be %s', (declared) => {
    expect(refusalOf(rest, { declared })).toEqual(
      refusal(`The file is of an unknown binary format, not ${declared} as declared; declare its actual type or none.`),
    );
  });

  test.each([
    `\xff\xfb\x90\x00${'\x07'.repeat(600)}`,
    `\xff\xf1\x50\x80\x03\x1f\xfc${'\x07'.repeat(600)}`,
    `MZ${'\x07'.repeat(99)}`,
  ])('is not decided by a few bits that look like a format', (content) => {
    expect(typeOf(content, { declared: 'application/vnd.acme' })).toBe('application/vnd.acme');
  });
});

describe('the type of an empty file', () => {
  test.each([
    ['image/png', { declared: 'image/png', fileName: 'a.csv' }],
    ['text/csv', { fileName: 'a.csv' }],
    ['text/csv', { declared: 'application/octet-stream', fileName: 'a.csv' }],
    ['application/octet-stream', { fileName: 'a' }],
    ['application/octet-stream', {}],
  ])('is %s with %j', (type, hints) => {
    expect(typeOf('', hints)).toBe(type);
  });
});

describe('a declared type', () => {
  const long = 'x'.repeat(127);

  test.each([
    ...['foo', '/', 'image/', '/png', 'image/*', '*/*', 'image/png, image/gif', 'image png', 'image/png/x', ' ; a=b'],
    ...['image/p\0ng', 'image/png;\n', 'image/png; a=\x7f', 'imäge/png', '-a/b', `${long}x/a`, `a/${long}x`],
  ])('cannot be %j', (declared) => {
    for (const content of ['', 'text', rest]) {
      expect(refusalOf(content, { declared })).toEqual(
        refusal('The declared type must be a media type such as image/png.'),
      );
    }
  });

  test('has up to 127 characters on each side', () => {
    expect(typeOf(rest, { declared: `${long}/${long}` })).toBe(`${long}/${long}`);
  });
});

describe('text/plain of a file of a form', () => {
  const typeInForm = (content: string, fileName: string | null = null) =>
    decideType({ head: bytes(content), declared: 'text/plain', fileName, isForm: true }, 'body.file').type;

  test.each([
    ['unknown binary bytes', rest, null, 'application/octet-stream'],
    ['a picture', `\x89PNG\r\n\x1a\n${rest}`, null, 'image/png'],
    ['a document that begins as text', '%PDF-1.4\n1 0 obj', 'a.pdf', 'application/pdf'],
    ['binary bytes with a name', rest, 'a.wasmx', 'application/octet-stream'],
  ])('counts as none for %s', (_what, content, fileName, type) => {
    expect(typeInForm(content, fileName)).toBe(type);
  });

  test.each([
    ['text', 'some text', 'a.csv'],
    ['markup', '<!doctype html><script>', 'a.html'],
  ])('is the type of %s', (_what, content, fileName) => {
    expect(typeInForm(content, fileName)).toBe('text/plain');
  });

  test('contradicts the bytes of a body', () => {
    expect(refusalOf(rest, { declared: 'text/plain' })).toEqual(contradiction);
  });
});

test('any content, declared type and name have a canonical type or are refused', () => {
  const types = signatures.map(({ type }) => type);
  const declared = fc.option(fc.oneof(fc.constantFrom(...types, 'text/html', 'text/plain', 'image/jpg'), fc.string()));
  const start = fc.constantFrom('', ...signatures.flatMap(({ starts }) => starts), '<svg', '<?xml ', '<html');
  const fileName = fc.option(fc.constantFrom('a.png', 'a.docx', 'a.csv', 'a.svg', '.', ''));
  fc.assert(
    fc.property(start, fc.uint8Array({ maxLength: 600 }), declared, fileName, (first, more, type, name) => {
      const content = Buffer.concat([bytes(first), more]);
      const decided = refusalOf(content, { declared: type, fileName: name });
      if (typeof decided !== 'string') return expect(decided).toMatchObject({ type: 'INPUT_INVALID' });
      expect(canonicalType(parseType(decided)!)).toBe(decided);
      // Without a declaration there is nothing to contradict.
      expect(typeOf(content, { fileName: name })).toEqual(expect.any(String));
    }),
  );
});
