import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { apiError, inputError, unknownName } from '../lib/contract/errors.ts';
import { parseJson as parseExactly } from '../lib/data/exact-json.ts';
import { describeJsonError } from '../lib/data/json-error.ts';
import { type Form, maxFormBytes } from '../web/define-page.ts';

const maxNesting = 64;

/**
 * Reads a JSON body of at most `limitBytes`; undefined when there is none.
 *
 * @throws BODY_TOO_LARGE, CONTENT_TYPE_UNSUPPORTED, JSON_MALFORMED (also for text that is not UTF-8), INPUT_INVALID for
 * nesting beyond 64 levels and for the key `__proto__`, which only attackers send.
 */
export async function readJsonBody(request: IncomingMessage, limitBytes: number): Promise<unknown> {
  if (!hasBody(request)) return undefined;
  const bytes = await readBytes(request, limitBytes);
  // A chunked body may be empty and have no content type.
  if (bytes.length === 0) return undefined;
  rejectOtherTypes(request);
  const value = parseJson(bytes);
  rejectHostileStructure(value);
  return value;
}

/**
 * Reads a body of any content type and at most `limitBytes` as unchanged text; empty when there is none.
 *
 * @throws BODY_TOO_LARGE, CONTENT_TYPE_UNSUPPORTED for an encoding, REQUEST_MALFORMED for text that is not UTF-8.
 */
export async function readTextBody(request: IncomingMessage, limitBytes: number): Promise<string> {
  if (!hasBody(request)) return '';
  rejectEncodings(request);
  const bytes = await readBytes(request, limitBytes);
  if (!isUtf8(bytes)) throw apiError('REQUEST_MALFORMED', { message: 'The body is not valid UTF-8.' });
  return bytes.toString('utf8');
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function rejectOtherTypes({ headers }: IncomingMessage): void {
  if (!hasMediaType({ headers }, 'application/json')) {
    throw unsupportedType({ headers }, 'Send the body as JSON in UTF-8, with Content-Type: application/json.');
  }
  rejectEncodings({ headers });
}

/** Whether a body is declared to be of a media type, in UTF-8. */
export function hasMediaType({ headers }: Pick<IncomingMessage, 'headers'>, mediaType: string): boolean {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  return type.trim() === mediaType && (charset === undefined || /^charset="?utf-?8"?$/.test(charset));
}

const maxTypeLength = 100;

/** The error of a body of another media type than the `expected` one, which names the sent one. */
export function unsupportedType({ headers }: Pick<IncomingMessage, 'headers'>, expected: string): Error {
  const sent = headers['content-type']?.slice(0, maxTypeLength);
  const got = sent ? `The request has ${sent}` : 'The request names no type';
  return apiError('CONTENT_TYPE_UNSUPPORTED', { message: `${expected} ${got}.` });
}

/** Rejects a compressed body. */
export function rejectEncodings({ headers }: Pick<IncomingMessage, 'headers'>): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    throw apiError('CONTENT_TYPE_UNSUPPORTED', { message: 'Send the body uncompressed, without Content-Encoding.' });
  }
}

/**
 * Reads a body of at most `limitBytes`, by events. Leaving an async iteration early destroys the request, and with it
 * the connection that the error response needs. Events are also faster than an iteration.
 */
export function readBytes(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    rejectLarger(request, limitBytes);
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > limitBytes) refuse();
      else chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on('error', reject);

    function refuse(): void {
      request.removeAllListeners('data').pause();
      reject(tooLarge(limitBytes));
    }
  });
}

/** The length of a body: the declared one, or the limit of a chunked body. */
export function lengthOf({ headers }: Pick<IncomingMessage, 'headers'>, limitBytes: number): number {
  if (headers['transfer-encoding'] !== undefined) return limitBytes;
  return Math.min(limitBytes, Number(headers['content-length'] ?? 0));
}

/**
 * Runs work that keeps bytes in memory, within a budget for all concurrent work.
 *
 * @throws UNAVAILABLE beyond the budget; senders of webhooks retry.
 */
export function createByteBudget(maxBytes: number) {
  let used = 0;
  return async <T>(bytes: number, work: () => Promise<T>): Promise<T> => {
    if (used + bytes > maxBytes)
      throw apiError('UNAVAILABLE', { headers: { 'Retry-After': '5', Connection: 'close' } });
    used += bytes;
    try {
      return await work();
    } finally {
      used -= bytes;
    }
  };
}

/** Rejects a body whose declared length exceeds a limit. A chunked body declares none. Throws BODY_TOO_LARGE. */
export function rejectLarger({ headers }: IncomingMessage, limitBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
}

/** The error of a body that exceeds a limit. */
export function tooLarge(limitBytes: number): Error {
  const message = `The body is larger than the ${limitBytes} bytes this path takes.`;
  // The rest of the body is not read, so the connection cannot be reused.
  return apiError('BODY_TOO_LARGE', { message, headers: { Connection: 'close' } });
}

function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw apiError('JSON_MALFORMED', { message: 'The body is not valid UTF-8.' });
  const text = bytes.toString('utf8');
  try {
    return parseExactly(text);
  } catch {
    throw apiError('JSON_MALFORMED', { message: `The body is not valid JSON: ${describeJsonError(text)}.` });
  }
}

type Place = { value: object; path: string; depth: number };

/** Rejects hostile structures. Iterates instead of recursing, so that deep nesting cannot exhaust the stack. */
function rejectHostileStructure(body: unknown): void {
  const open: Place[] = isContainer(body) ? [{ value: body, path: 'body', depth: 1 }] : [];
  for (let place = open.pop(); place; place = open.pop()) {
    const { value, path, depth } = place;
    if (depth > maxNesting) throw refused('body', `The body is nested deeper than ${maxNesting} levels.`);
    for (const [key, child] of Object.entries(value)) {
      if (key === '__proto__') throw refused(`${path}.__proto__`, unknownName('field', key));
      if (isContainer(child)) open.push({ value: child, path: `${path}.${key}`, depth: depth + 1 });
    }
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function refused(path: string, message: string): Error {
  return inputError([{ path, message }]);
}

/**
 * Reads a form body (application/x-www-form-urlencoded) of at most `limitBytes`. Line ends are normalized to `\n`.
 *
 * @throws CONTENT_TYPE_UNSUPPORTED, BODY_TOO_LARGE, INPUT_INVALID for a repeated field and for text that is not UTF-8.
 */
export async function readForm(request: IncomingMessage, limitBytes: number = maxFormBytes): Promise<Form> {
  rejectUnreadableForms(request);
  const bytes = await readBytes(request, limitBytes);
  const text = bytes.toString('latin1');
  if (!isUtf8(bytes) || !isUtf8(percentDecoded(text))) throw wrongForm('The form is not valid UTF-8.');
  const form: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(bytes.toString('utf8'))) {
    if (name === '__proto__') throw inputError([{ path: 'body.__proto__', message: unknownName('field', name) }]);
    if (name in form) throw inputError([{ path: `body.${name.slice(0, 40)}`, message: 'Must be sent once.' }]);
    form[name] = value.replace(/\r\n?/g, '\n');
  }
  return form;
}

function rejectUnreadableForms({ headers }: IncomingMessage): void {
  const isPlain = (headers['content-encoding'] ?? 'identity') === 'identity';
  if (isPlain && hasMediaType({ headers }, 'application/x-www-form-urlencoded')) return;
  const expected = 'Send the form in UTF-8, with Content-Type: application/x-www-form-urlencoded.';
  throw unsupportedType({ headers }, expected);
}

/** Decodes percent-encoding to bytes; `URLSearchParams` would replace invalid ones. */
function percentDecoded(text: string): Buffer {
  const decoded = text.replace(/%([0-9a-f]{2})/gi, (_match, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(decoded, 'latin1');
}

function wrongForm(message: string): Error {
  return inputError([{ path: 'body', message }]);
}
