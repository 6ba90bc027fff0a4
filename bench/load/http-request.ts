import { randomUUID } from 'node:crypto';
import { openConnection } from './http-connection.ts';
import type { LoadResult } from './result.ts';
import { loadByWrk, type WrkJob } from './wrk.ts';

/**
 * A load of one kind of request. In `body` and `path`, every `<eventId>` becomes a new UUID, every `<customer>` one of
 * a thousand numbers of four digits and `<now>` the current time, so that its length never changes.
 */
export type HttpRequest = {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  headers: Record<string, string>;
  body?: string;
  /**
   * Expected status of the first response, without which nothing is measured. Every other response must have a 2xx
   * status.
   */
  status: number;
};

/** Loads a server with one kind of request, after one request had the expected response. */
export async function loadWith(request: HttpRequest, job: Omit<WrkJob, 'requests'>): Promise<LoadResult> {
  const text = wire(request);
  const { exchange, close } = await openConnection(job.port);
  const { status, body } = await exchange(fill(text));
  close();
  if (status !== request.status) throw new Error(`${request.method} ${request.path} was answered ${status}: ${body}`);
  return loadByWrk({ ...job, requests: [text] });
}

/** Encodes the raw request, with unfilled placeholders. */
export function wire({ method, path, headers, body }: Omit<HttpRequest, 'status'>): string {
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const lines = Object.entries({ Host: '127.0.0.1', ...type, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const head = `${method} ${path} HTTP/1.1\r\n${lines.join('')}`;
  return body === undefined ? `${head}\r\n` : `${head}Content-Length: ${Buffer.byteLength(fill(body))}\r\n\r\n${body}`;
}

function fill(text: string): string {
  const filled = text.replaceAll('<eventId>', randomUUID()).replaceAll('<customer>', '0000');
  return filled.replace('<now>', new Date().toISOString());
}
