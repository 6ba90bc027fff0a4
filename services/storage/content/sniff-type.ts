import { inputError } from '../../../lib/contract/errors.ts';
import { type Markup, markupOf, sniffedBytes, textOf } from './byte-checks.ts';
import { canonicalType, extensionOf, isJson, isTextual, parseType, typeByName } from './media-type.ts';
import { type Signature, signatures, typesOftenUnsigned } from './signatures.ts';

export { sniffedBytes };

/** Content whose type is to be decided, and the client's declarations about it. */
export type SniffedContent = {
  /** The first {@link sniffedBytes} bytes, or all of them if there are fewer. */
  head: Buffer;
  /** The `Content-Type` that the client sent. Empty and `application/octet-stream` count as absent. */
  declared: string | null;
  fileName: string | null;
  /**
   * Whether it is the file of a form. There `text/plain` is also the type of a file sent without one (RFC 7578, section
   * 4.4), as by Python's `requests`, so it counts as absent if it contradicts the bytes.
   */
  isForm?: boolean;
};

/** The type of unidentified bytes. */
export const unspecific = 'application/octet-stream';

/**
 * Decides the media type of content from its first bytes, by a table of signatures and by WHATWG MIME Sniffing, section
 * 7.1. If the bytes allow several types, the declared type applies, then the type of the file name.
 *
 * The type is canonical (`image/jpeg` for `image/jpg`), in lower case and without parameters; `findCharset` finds the
 * encoding of a text. A declared text type is trusted, even `text/html` and `image/svg+xml` for text that begins
 * otherwise: `isActive` is true for them.
 *
 * @param path - the field that an error names.
 * @throws INPUT_INVALID when the declared type is malformed, or contradicts the bytes.
 */
export function decideType(content: SniffedContent, path: string): { type: string } {
  const { declared, fileName, isForm } = content;
  const head = content.head.subarray(0, sniffedBytes);
  const declaredType = declared === null || declared.trim() === '' ? unspecific : parseType(declared);
  if (declaredType === null)
    throw inputError([{ path, message: 'The declared type must be a media type such as image/png.' }]);
  let { name, type } = matchType(head, canonicalType(declaredType), fileName);
  if (type === null && isForm && declaredType === 'text/plain')
    ({ name, type } = matchType(head, unspecific, fileName));
  if (type !== null) return { type };
  const message = `The file is ${name}, not ${declaredType} as declared; declare its actual type or none.`;
  throw inputError([{ path, message }]);
}

/** The format of the content, as a noun, and its type: null if the declared type contradicts it. */
type Match = { name: string; type: string | null };

function matchType(head: Buffer, declared: string, fileName: string | null): Match {
  const claim = declared === unspecific ? null : declared;
  const named = typeByName(fileName);
  if (head.length === 0) return { name: 'empty', type: claim ?? named ?? unspecific };
  const text = textOf(head);
  const signature = signatures.find((candidate) => (candidate.isText || !text?.isUnicode) && matches(candidate, head));
  if (signature) return matchFormat(signature, (type) => fits(type, signature), claim, named);
  const markup = markupOf(head);
  if (markup) return matchFormat(markup, (type) => isMarkupText(type) || fits(type, markup), claim, named);
  if (!text) return matchBinary(claim);
  return matchText(text.isUnicode, isMistaken(claim, fileName) ? null : claim, named);
}

/** Content of a recognised format: its own type, or a compatible one that is declared or implied by the name. */
function matchFormat(
  { name, type }: Signature | Markup,
  isCompatible: (type: string) => boolean,
  claim: string | null,
  named: string | null,
): Match {
  if (claim !== null) return { name, type: claim === type || isCompatible(claim) ? claim : null };
  return { name, type: named !== null && isCompatible(named) ? named : type };
}

/** Binary content of an unknown format gets the declared type, unless that is a text type or a recognised format. */
function matchBinary(claim: string | null): Match {
  const name = 'of an unknown binary format';
  if (claim === null) return { name, type: unspecific };
  const isPossible = typesOftenUnsigned.has(claim) || !(isTextual(claim) || signedTypes.has(claim));
  return { name, type: isPossible ? claim : null };
}

/** Text gets the declared type, unless that is a binary format. Text in an unknown encoding needs a type or a name. */
function matchText(isUnicode: boolean, claim: string | null, named: string | null): Match {
  const name = 'text';
  if (claim !== null) return { name, type: signedTypes.has(claim) ? null : claim };
  if (named !== null && isTextual(named)) return { name, type: named };
  return { name, type: isUnicode ? 'text/plain' : unspecific };
}

function matches({ starts, has = [], check }: Signature, head: Buffer): boolean {
  const hasAt = (offset: number, text: string): boolean =>
    head.toString('latin1', offset, offset + text.length) === text;
  return (
    starts.some((start) => hasAt(0, start)) &&
    has.every(([offset, text]) => hasAt(offset, text)) &&
    (check === undefined || check(head))
  );
}

/** Whether text of this type may begin with a tag: Markdown and templates do. */
function isMarkupText(type: string): boolean {
  return isTextual(type) && !isJson(type);
}

function fits(type: string, { compatible = [], hosts = [] }: Pick<Signature, 'compatible' | 'hosts'>): boolean {
  if (compatible.includes(type)) return true;
  return hosts.some((host) => type.startsWith(`${host}/`)) && !isTextual(type) && !signedTypes.has(type);
}

/** The types of binary formats that the table of signatures recognises. */
const signedTypes: ReadonlySet<string> = new Set(
  signatures.flatMap(({ type, compatible = [] }) => [type, ...compatible]).filter((type) => type !== unspecific),
);

/** Wrong types that operating systems declare for texts with these extensions. */
const mistakenTypes: Record<string, readonly string[]> = {
  'application/vnd.ms-excel': ['csv', 'tsv'],
  'video/mp2t': ['ts', 'mts', 'cts'],
};

function isMistaken(claim: string | null, fileName: string | null): boolean {
  return claim !== null && (mistakenTypes[claim]?.includes(extensionOf(fileName)) ?? false);
}
