import { isAscii, isUtf8 } from 'node:buffer';
import { MIMEType } from 'node:util';
import { isTextual } from './media-type.ts';

/** Content of a type, as far as its encoding is concerned. */
export type EncodedContent = {
  /** Its canonical type. */
  type: string;
  /** The `Content-Type` that the client sent. */
  declared: string | null;
  /** Its first bytes. */
  head: Buffer;
};

/** Finds the charset of content while its bytes pass. */
export type CharsetFinder = {
  /** To be called with each chunk, which may be freed afterwards. */
  push: (chunk: Buffer) => void;
  /** Once all bytes have passed: the charset in lower case; null where none is known, or the type has none. */
  charset: () => string | null;
};

/**
 * Finds the charset that text is served with (RFC 9110, section 8.3.2): the declared one, or `utf-8` where all bytes are
 * UTF-8. Without it browsers read text in an old encoding of the reader's country. Bytes in another encoding have none,
 * so that each reader may guess, and neither has a document that names another encoding in itself: the header would
 * overrule it.
 */
export function findCharset({ type, declared, head }: EncodedContent): CharsetFinder {
  if (!takesCharset(type)) return known(null);
  const charset = declaredCharset(declared);
  if (charset !== null) return known(charset);
  return namesOtherEncoding(type, head) ? known(null) : createUtf8Check();
}

const known = (charset: string | null): CharsetFinder => ({ push: () => undefined, charset: () => charset });

/** The `Content-Type` of content that is stored under its type, with its charset if it has one. */
export function contentTypeOf({ mimeType, charset }: { mimeType: string; charset?: string | null }): string {
  return charset ? `${mimeType}; charset=${charset}` : mimeType;
}

/** Whether a canonical type is of text in one encoding. The parts of messages and archives have their own. */
export function takesCharset(type: string): boolean {
  return isTextual(type) && !/^(?:message|multipart)\//.test(type) && type !== 'application/x-mimearchive';
}

/** The charset of a `Content-Type`, in lower case; null for none, or one that browsers do not know. */
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

/** Where documents name their encoding: XML 1.0, section 4.3.3; HTML, section 4.2.5.4; CSS Syntax, section 3.2. */
const declarations: readonly (readonly [type: RegExp, declaration: RegExp])[] = [
  [/[/+]xml$/, /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([\w.:-]+)/],
  [/^text\/html$|\/xhtml\+xml$/, /<meta\s[^>]*?\bcharset\s*=\s*["']?\s*([\w.:-]+)/i],
  [/^text\/css$/, /^@charset "([^"]+)";/],
];

/** Browsers look no further for the declaration of an HTML page. */
const declarationBytes = 1024;

/** A byte order mark decides, whatever the document names (WHATWG Encoding, section 6). */
function namesOtherEncoding(type: string, head: Buffer): boolean {
  const text = head.toString('latin1', 0, declarationBytes);
  if (text.startsWith('\xef\xbb\xbf')) return false;
  return declarations.some(([ofType, declaration]) => {
    const label = ofType.test(type) ? declaration.exec(text)?.[1] : undefined;
    const encoding = label === undefined ? null : encodingOf(label);
    // UTF-16 cannot be named by bytes that are read as ASCII, so browsers take it for UTF-8.
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
      // ISO-2022-JP is ASCII with escape sequences. Other ASCII reads the same without a charset.
      const mayBeEscaped = hasOnlyAscii && hasEscape;
      return isValid && rest.length === 0 && !mayBeEscaped ? 'utf-8' : null;
    },
  };
}

/** Where the last character of UTF-8 ends that is complete, for bytes that another chunk may follow. */
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
