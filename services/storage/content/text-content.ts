/** The number of leading bytes that decide a type. */
export const sniffedBytes = 4096;

/** Decoded content without binary characters. `isUnicode` is false for an unknown legacy encoding. */
export type TextContent = { text: string; isUnicode: boolean };

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
