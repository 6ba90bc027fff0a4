/**
 * The brands in the file type box at the start of an ISO media file (ISO/IEC 14496-12, section 4.3), major brand first.
 */
function brandsOf(head: Buffer): string[] {
  const end = Math.min(head.readUInt32BE(0), head.length);
  // The four bytes after the major brand are its version.
  const offsets = [8, ...Array.from({ length: Math.max(0, Math.floor((end - 16) / 4)) }, (_, index) => 16 + index * 4)];
  return offsets.map((offset) => head.toString('latin1', offset, offset + 4));
}

/**
 * Whether an ISO media file has one of these brands; compatible brands count if the major brand is a generic HEIF one.
 */
export function hasBrand(...brands: string[]): (head: Buffer) => boolean {
  return (head) => {
    if (head.length < 12) return false;
    const [major = '', ...compatible] = brandsOf(head);
    return (
      brands.includes(major) || (/^m(?:if|sf)1$/.test(major) && compatible.some((brand) => brands.includes(brand)))
    );
  };
}

/** Kilobits a second by the index in a layer III header, for MPEG-1 and for MPEG-2 and 2.5. */
const bitRates = {
  1: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  2: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
const sampleRates = [44_100, 48_000, 32_000];

/** The length in bytes of the MPEG layer III frame at an offset (WHATWG MIME Sniffing, section 6.2.4), or null. */
function mp3FrameBytes(head: Buffer, offset: number): number | null {
  if (offset + 4 > head.length) return null;
  const header = head.readUInt32BE(offset);
  const version = (header >>> 19) & 3;
  const isLayer3 = ((header >>> 17) & 3) === 1;
  if (header >>> 21 !== 0x7ff || version === 1 || !isLayer3) return null;
  const bitRate = bitRates[version === 3 ? 1 : 2][((header >>> 12) & 15) - 1];
  const sampleRate = sampleRates[(header >>> 10) & 3];
  if (bitRate === undefined || sampleRate === undefined) return null;
  // MPEG-2 halves the sample rates, and MPEG-2.5 quarters them; both have half the samples in a frame.
  const [bytesPerBit, divisor] = version === 3 ? [144, 1] : [72, version === 2 ? 2 : 4];
  return Math.floor((bytesPerBit * bitRate * 1000 * divisor) / sampleRate) + ((header >>> 9) & 1);
}

/** The length in bytes of the ADTS frame at an offset (ISO/IEC 14496-3, section 1.A.2.2), or null. */
function adtsFrameBytes(head: Buffer, offset: number): number | null {
  if (offset + 7 > head.length || (head.readUInt16BE(offset) & 0xfff6) !== 0xfff0) return null;
  const bytes = (head.readUInt32BE(offset + 2) >>> 5) & 0x1fff;
  return bytes > 7 ? bytes : null;
}

/** Whether a second frame follows the first. One header has too few fixed bits to rule out random bytes. */
function hasTwoFrames(head: Buffer, frameBytes: typeof mp3FrameBytes): boolean {
  const second = frameBytes(head, 0);
  return second !== null && (second === head.length || frameBytes(head, second) !== null);
}

export const isMp3 = (head: Buffer): boolean => hasTwoFrames(head, mp3FrameBytes);

export const isAdts = (head: Buffer): boolean => hasTwoFrames(head, adtsFrameBytes);

/** Whether three packets of an MPEG transport stream begin here (ISO/IEC 13818-1, section 2.4.3.2). */
export function isTransportStream(head: Buffer): boolean {
  return [0, 188, 376].every((offset) => head[offset] === 0x47);
}

/** Whether an EXE file points to the header of a Windows program. */
export function hasWindowsHeader(head: Buffer): boolean {
  if (head.length < 64) return false;
  const offset = head.readUInt32LE(60);
  return ['PE\0\0', 'NE', 'LE'].some(
    (signature) => head.toString('latin1', offset, offset + signature.length) === signature,
  );
}

/** Whether the table directory of a font holds 1 to 255 tables. */
export function hasFontTables(head: Buffer): boolean {
  return head.length >= 6 && head[4] === 0 && head[5] !== 0;
}

/** Whether a directory of icons has 1 to 255 of them, and the reserved byte of the first is zero. */
export function hasIcons(head: Buffer): boolean {
  return head.length >= 22 && head[4] !== 0 && head[5] === 0 && head[9] === 0;
}

/** Whether the EBML header names this document type (RFC 8794, section 11.2.7). */
export function hasDocType(name: string): (head: Buffer) => boolean {
  return (head) => head.subarray(0, 128).includes(name);
}

/** The number of leading bytes that decide a type. */
export const sniffedBytes = 4096;

/** Decoded content without binary characters. `isUnicode` is false for an unknown legacy encoding. */
type TextContent = { text: string; isUnicode: boolean };

/**
 * Decodes the first bytes of content as text: UTF-8, UTF-16 with a byte order mark, or otherwise one character per
 * byte. Null if there are control characters that text does not contain (the "binary data bytes" of WHATWG MIME
 * Sniffing, section 3).
 */
export function textOf(head: Buffer): TextContent | null {
  const unicode = decodeStrictly(head, utf16Of(head) ?? 'utf-8');
  const text = unicode ?? head.toString('latin1');
  for (let index = 0; index < text.length; index += 1) {
    if (isBinary(text.charCodeAt(index))) return null;
  }
  return { text, isUnicode: unicode !== null };
}

function isBinary(code: number): boolean {
  return code <= 0x08 || code === 0x0b || (code >= 0x0e && code <= 0x1a) || (code >= 0x1c && code <= 0x1f);
}

function utf16Of(head: Buffer): 'utf-16le' | 'utf-16be' | null {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : null;
}

function decodeStrictly(head: Buffer, encoding: string): string | null {
  try {
    // If more bytes follow, the head may end within a character.
    return new TextDecoder(encoding, { fatal: true }).decode(head, { stream: head.length >= sniffedBytes });
  } catch {
    return null;
  }
}

/** A markup language, and the top-level types in which formats without a separate signature are built on it. */
export type Markup = { name: string; type: string; hosts?: readonly string[] };

/**
 * The markup language that content begins with, or null. HTML is recognised as in WHATWG MIME Sniffing, section 7.1;
 * any white space and `/` may also end the tag. SVG is XML whose root element is `svg`, after declarations and
 * comments.
 */
export function markupOf(head: Buffer): Markup | null {
  const utf16 = utf16Of(head);
  // Tags are in ASCII, so UTF-8 and older encodings need no decoding.
  const decoded = (utf16 && decodeStrictly(head, utf16)) ?? head.toString('latin1').replace(/^\xef\xbb\xbf/, '');
  const text = decoded.trimStart();
  if (/^<(?:[\w.-]+:)?svg(?:[\s/>]|$)/.test(afterProlog(text))) return { name: 'an SVG image', type: 'image/svg+xml' };
  if (/^<\?xml\s/.test(text))
    return { name: 'an XML document', type: 'application/xml', hosts: ['application', 'model'] };
  return htmlStart.test(text) ? { name: 'an HTML page', type: 'text/html' } : null;
}

const htmlStart = /^<(?:!--|!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[\s/>]/i;

/** Skips to the root element of XML. An HTML document type is kept, because HTML follows it. */
function afterProlog(text: string): string {
  const part = /\s+|<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!DOCTYPE(?!\s+html\b)(?:[^[>]|\[[^\]]*\])*>/iy;
  let end = 0;
  while (part.test(text)) end = part.lastIndex;
  return text.slice(end);
}
