import type { Readable } from 'node:stream';
import type { BytesAnswer, KnownAnswer, StreamAnswer } from '../lib/contract/contract.ts';
import { apiError } from '../lib/contract/errors.ts';
import { evaluate, type Outcome } from '../lib/contract/preconditions.ts';
import type { AnswerHeaders, HttpRequest, HttpResponse } from './request.ts';
import { endCoalesced } from './response.ts';

type Described = Pick<StreamAnswer, 'type' | 'size' | 'etag' | 'lastModified' | 'disposition' | 'fileName'>;

/** Answers with bytes in memory, with ranges and preconditions. */
export function sendBytes(request: HttpRequest, response: HttpResponse, status: number, answer: BytesAnswer): void {
  const { base64, ...rest } = answer;
  const bytes = Buffer.from(base64, 'base64');
  const about: Described = { ...rest, size: bytes.length, disposition: 'inline' };
  const outcome = decide(request, about);
  sendHead(request, response, status, about, outcome);
  const { range } = outcome;
  const body = range ? bytes.subarray(range.first, range.last + 1) : bytes;
  endCoalesced(response, hasBody(request, outcome) ? body : undefined);
}

/**
 * Answers with content of any size, with ranges and preconditions. Reads only as fast as the client does
 * (backpressure), and destroys the source when the client disconnects. An error of the source ends the connection, so
 * that the client notices.
 */
export async function sendStream(
  request: HttpRequest,
  response: HttpResponse,
  status: number,
  answer: StreamAnswer,
): Promise<void> {
  // The client was answered already, or has disconnected.
  if (request.hasTimedOut || response.closed) return;
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  const outcome = decide(request, answer);
  if (!hasBody(request, outcome)) {
    sendHead(request, response, status, answer, outcome);
    endCoalesced(response);
    return;
  }
  // Opened before the headers are sent, so that missing content can still be an error.
  const source = await answer.open(outcome.range, gone.signal);
  const progress: Progress = { sent: 0 };
  try {
    if (!gone.signal.aborted) {
      sendHead(request, response, status, answer, outcome);
      const { admit, release } = answer;
      await pump(source, response, { size: lengthOf(answer, outcome), progress, admit, release });
    }
  } finally {
    source.destroy();
    answer.ended?.(progress.sent);
  }
}

/** The number of content bytes that the connection accepted. */
type Progress = { sent: number };

/** Whether the client has the cached content. */
export function isUnchanged({ receivedMethod, headers }: HttpRequest, known: KnownAnswer): boolean {
  return evaluate(receivedMethod, headers, known).status === 304;
}

export function sendUnchanged({ answerHeaders }: HttpRequest, response: HttpResponse, known: KnownAnswer): void {
  endCoalesced(response.writeHead(304, Object.assign(answerHeaders, known.headers, validators(known))));
}

function sendHead(
  request: HttpRequest,
  response: HttpResponse,
  status: number,
  about: Described,
  outcome: Outcome,
): void {
  const { answerHeaders, ctx } = request;
  const headers: AnswerHeaders = Object.assign(answerHeaders, ctx.meta.$responseHeaders, validators(about));
  if (outcome.status === 304) {
    response.writeHead(304, headers);
    return;
  }
  const { range } = outcome;
  const length = lengthOf(about, outcome);
  Object.assign(headers, description(about));
  if (range) headers['Content-Range'] = `bytes ${range.first}-${range.last}/${about.size}`;
  if (length !== null) headers['Content-Length'] = length;
  response.writeHead(outcome.status === 206 ? 206 : status, headers);
}

function hasBody({ receivedMethod }: HttpRequest, { status }: Outcome): boolean {
  return status !== 304 && receivedMethod !== 'HEAD';
}

/** The length of the body in bytes; null when it is unknown. */
function lengthOf({ size }: Described, { range }: Outcome): number | null {
  return range ? range.last - range.first + 1 : size;
}

function decide({ receivedMethod, headers }: HttpRequest, about: Described): Outcome {
  // Preconditions apply only where the method selects the content (RFC 9110 section 13.1).
  if (receivedMethod !== 'GET' && receivedMethod !== 'HEAD') return { status: 200, range: null };
  const outcome = evaluate(receivedMethod, headers, about);
  if (outcome.status === 412) throw apiError('PRECONDITION_FAILED');
  if (outcome.status === 416) {
    throw apiError('RANGE_NOT_SATISFIABLE', { headers: { 'Content-Range': `bytes */${about.size}` } });
  }
  return outcome;
}

function validators({ etag, lastModified }: Pick<Described, 'etag' | 'lastModified'>): AnswerHeaders {
  return {
    ...(etag !== undefined && { ETag: `"${etag}"` }),
    ...(lastModified && { 'Last-Modified': lastModified.toUTCString() }),
  };
}

function description({ type, size, disposition, fileName }: Described): AnswerHeaders {
  return {
    'Content-Type': type,
    ...(size !== null && { 'Accept-Ranges': 'bytes' }),
    ...((disposition ?? fileName) !== undefined && { 'Content-Disposition': dispositionOf(disposition, fileName) }),
  };
}

/** RFC 6266: the name in ASCII for old clients, and the full name in UTF-8 (RFC 8187). */
function dispositionOf(disposition: 'inline' | 'attachment' = 'attachment', fileName?: string): string {
  if (fileName === undefined) return disposition;
  const plain = fileName.replace(/[^\x20-\x7e]|["\\%/]/g, '_');
  if (plain === fileName) return `${disposition}; filename="${plain}"`;
  const encoded = encodeURIComponent(fileName).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${disposition}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/**
 * Writes a source of `size` bytes to a response. Throws when the source fails or has another size: the status has been
 * sent already, so only the end of the connection can signal it to the client.
 */
async function pump(source: Readable, response: HttpResponse, pumped: Pumped): Promise<void> {
  const { size, progress, admit, release } = pumped;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    if (size !== null && progress.sent + chunk.length > size) {
      throw new Error(`The content is larger than the ${size} bytes it should have.`);
    }
    await admit?.(chunk.length);
    if (response.destroyed) return;
    progress.sent += chunk.length;
    if (!write(response, chunk, release)) await canContinue(response);
    if (response.destroyed) return;
  }
  const { sent } = progress;
  if (size !== null && sent < size) throw new Error(`The content has ${sent} of the ${size} bytes it should have.`);
  response.end();
}

type Pumped = Pick<StreamAnswer, 'admit' | 'release' | 'size'> & { progress: Progress };

/** Releases a chunk once it was written, but not after a failure: the connection may still hold it. */
function write(response: HttpResponse, chunk: Buffer, release: StreamAnswer['release']): boolean {
  if (!release) return response.write(chunk);
  return response.write(chunk, (error) => {
    if (!error) release(chunk);
  });
}

function canContinue(response: HttpResponse): Promise<void> {
  if (response.closed) return Promise.resolve();
  return new Promise((resolve) => {
    const settle = (): void => {
      response.off('drain', settle).off('close', settle);
      resolve();
    };
    response.on('drain', settle).on('close', settle);
  });
}
