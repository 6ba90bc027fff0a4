import { isAscii, isUtf8 } from 'node:buffer';
import { MIMEType } from 'node:util';
import { isTextual } from './media-type.ts';

/** Content whose encoding is to be detected. */
export type EncodedContent = {
  /** The canonical type. */
  type: string;
  /** The `Content-Type` that the client sent. */
  declared: string | null;
  /** The first bytes. */
  head: Buffer;
};

/** Detects the charset of content from its stream of bytes. */
export type CharsetFinder = {
  /** Call with each chunk, which may be freed afterwards. */
  push: (chunk: Buffer) => void;
  /** Call after all bytes: the charset in lower case; null if unknown, or if the type has none. */
  charset: () => string | null;
};

/**
 * Detects the charset that text is served with (RFC 9110, section 8.3.2): the declared one, or `utf-8` if all bytes are
 * UTF-8. Without a charset, browsers decode text in a legacy encoding of the reader's locale. Other encodings get none,
 * so that each reader may guess. A document that declares another encoding itself also gets none: the header would
 * override it.
 */
export function findCharset({ type, declared, head }: EncodedContent): CharsetFinder {
  if (!takesCharset(type)) return constantCharset(null);
  const charset = declaredCharset(declared);
  if (charset !== null) return constantCharset(charset);
  return namesOtherEncoding(type, head) ? constantCharset(null) : createUtf8Check();
}

const constantCharset = (charset: string | null): CharsetFinder => ({ push: () => undefined, charset: () => charset });

/** The `Content-Type` of stored content, with its charset if it has one. */
export function contentTypeOf({ mimeType, charset }: { mimeType: string; charset?: string | null }): string {
  return charset ? `${mimeType}; charset=${charset}` : mimeType;
}

/** Whether a canonical type is text in a single encoding. The parts of messages and archives have separate ones. */
export function takesCharset(type: string): boolean {
  return isTextual(type) && !/^(?:message|multipart)\//.test(type) && type !== 'application/x-mimearchive';
}

/** The charset of a `Content-Type`, in lower case; null if absent or unknown to browsers. */
export function declaredCharset(contentType: string | null): string | null {
  const charset = parse(contentType ?? '')?.params.get('charset') ?? '';
  return /^[\w.:-]+$/.test(charset) && encodingOf(charset) !== null ? charset.toLowerCase() : null;
}

function parse(contentType: string): MIMEType | null {
  try {
    return new MIMEType(contentType);
  } catch {
    return null;
  }
}

/** The encoding of a label (WHATWG Encoding, section 4.2); null for an unknown one. */
function encodingOf(label: string): string | null {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}

/** The encoding declarations of documents: XML 1.0, section 4.3.3; HTML, section 4.2.5.4; CSS Syntax, section 3.2. */
const declarations: readonly (readonly [type: RegExp, declaration: RegExp])[] = [
  [/[/+]xml$/, /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([\w.:-]+)/],
  [/^text\/html$|\/xhtml\+xml$/, /<meta\s[^>]*?\bcharset\s*=\s*["']?\s*([\w.:-]+)/i],
  [/^text\/css$/, /^@charset "([^"]+)";/],
];

/** Browsers search only this many bytes for the declaration of an HTML page. */
const declarationBytes = 1024;

/** A byte order mark takes precedence over the declaration (WHATWG Encoding, section 6). */
function namesOtherEncoding(type: string, head: Buffer): boolean {
  const text = head.toString('latin1', 0, declarationBytes);
  if (text.startsWith('\xef\xbb\xbf')) return false;
  return declarations.some(([ofType, declaration]) => {
    const label = ofType.test(type) ? declaration.exec(text)?.[1] : undefined;
    const encoding = label === undefined ? null : encodingOf(label);
    // A UTF-16 declaration that is readable as ASCII is wrong, so browsers treat it as UTF-8.
    return encoding !== null && encoding !== 'utf-8' && !encoding.startsWith('utf-16');
  });
}

const escapeByte = 0x1b;

function createUtf8Check(): CharsetFinder {
  let isValid = true;
  let rest: Buffer = Buffer.alloc(0);
  let hasOnlyAscii = true;
  let hasEscape = false;
  return {
    push(chunk) {
      if (!isValid) return;
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const end = endOfCharacters(bytes);
      isValid = isUtf8(bytes.subarray(0, end));
      rest = Buffer.from(bytes.subarray(end));
      hasOnlyAscii &&= isAscii(bytes);
      hasEscape ||= hasOnlyAscii && bytes.includes(escapeByte);
    },
    charset() {
      // ISO-2022-JP is ASCII with escape sequences. Other ASCII needs no charset.
      const mayBeEscaped = hasOnlyAscii && hasEscape;
      return isValid && rest.length === 0 && !mayBeEscaped ? 'utf-8' : null;
    },
  };
}

/** The end of the last complete UTF-8 character, for bytes that another chunk may follow. */
function endOfCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    const isContinuation = byte >= 0x80 && byte < 0xc0;
    if (isContinuation) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
