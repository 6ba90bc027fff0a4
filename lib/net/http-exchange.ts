import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
  request as requestPlain,
} from 'node:http';
import { request as requestSecure, Agent as SecureAgent } from 'node:https';
import { second } from '../data/clock.ts';

/* One request to another server: bounded in time and in the size of its answer, without redirects. */

export type EgressRequest = {
  method: 'GET' | 'POST';
  url: string;
  headers?: Record<string, string>;
  body?: string;
  /** The timeout of the whole exchange: name resolution, connection, request and answer. */
  timeoutMilliseconds?: number;
  /** The answer's body is truncated after this many bytes. */
  maxResponseBytes?: number;
};

export type EgressAnswer = { status: number; headers: IncomingHttpHeaders; body: string };

/**
 * `forbidden`: the address must not be called. `unreachable`: no connection was established, so nothing was sent.
 * `unanswered`: the request may have been received, and its outcome is unknown.
 */
export type EgressFailure = 'forbidden' | 'unreachable' | 'unanswered';

/** The error of a request without an answer. The message does not contain the addresses of the host. */
export class EgressError extends Error {
  override name = 'EgressError';
  readonly failure: EgressFailure;

  constructor(failure: EgressFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}

export const defaultTimeout = 15 * second;
const defaultResponseBytes = 64 * 1024;
export const httpsPort = 443;
const keptWhenIdle = { keepAlive: true, timeout: 4 * second, maxSockets: 32 };
const [agent, secureAgent] = [new Agent(keptWhenIdle), new SecureAgent(keptWhenIdle)];

/**
 * Sends a request to a server that the operator configured: its address is not checked and its connections are pooled.
 *
 * @throws EgressError
 */
export async function requestTrusted({
  url: text,
  timeoutMilliseconds = defaultTimeout,
  ...request
}: EgressRequest): Promise<EgressAnswer> {
  const url = new URL(text);
  const signal = AbortSignal.timeout(timeoutMilliseconds);
  try {
    return await exchange(url, request, signal, { agent: url.protocol === 'https:' ? secureAgent : agent });
  } catch (error) {
    if (!isStale(error)) throw error;
    return await exchange(url, request, signal, { agent: false });
  }
}

/** Errors of pooled connections that the other side had closed while they were idle; such a request is sent again. */
const stale = new WeakSet<EgressError>();

const isStale = (error: unknown): boolean => error instanceof EgressError && stale.has(error);

/** Sends one request. Throws an {@link EgressError}. */
export async function exchange(
  url: URL,
  { method, headers = {}, body, maxResponseBytes = defaultResponseBytes }: Omit<EgressRequest, 'url'>,
  signal: AbortSignal,
  route: Pick<RequestOptions, 'lookup' | 'agent'>,
): Promise<EgressAnswer> {
  const isSecure = url.protocol === 'https:';
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  const outgoing = (isSecure ? requestSecure : requestPlain)({
    method,
    host: hostOf(url),
    port: portOf(url),
    path: `${url.pathname}${url.search}`,
    headers: { Host: url.host, 'User-Agent': 'platform', Accept: 'application/json', ...length, ...headers },
    ...route,
    signal,
  });
  const progress = watch(outgoing, isSecure);
  try {
    const response = await answerOf(outgoing, body);
    const text = await readUpTo(response, maxResponseBytes);
    return { status: response.statusCode ?? 0, headers: response.headers, body: text };
  } catch (cause) {
    const failure = progress.isConnected ? 'unanswered' : 'unreachable';
    const error = new EgressError(failure, describe(failure, cause, signal), { cause });
    if (outgoing.reusedSocket && !signal.aborted) stale.add(error);
    throw error;
  }
}

function watch(outgoing: ClientRequest, isSecure: boolean): { isConnected: boolean } {
  const progress = { isConnected: false };
  outgoing.once('socket', (socket) => {
    progress.isConnected = outgoing.reusedSocket;
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      progress.isConnected = true;
    });
  });
  return progress;
}

function answerOf(outgoing: ClientRequest, body: string | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** A truncated body is accepted, because the status is known by then. */
async function readUpTo(response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= maxBytes) break;
    }
  } catch {
    // The partial body is returned.
  }
  response.destroy();
  return Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8');
}

function describe(failure: EgressFailure, cause: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'The host did not answer in time.';
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? ` (${String(cause.code)})` : '';
  return failure === 'unreachable' ? `The host cannot be reached${code}.` : `The host ended the connection${code}.`;
}

export const portOf = ({ protocol, port }: URL): number =>
  port ? Number(port) : protocol === 'https:' ? httpsPort : 80;

/** The host without the brackets of an IPv6 address and without the trailing dot of a fully qualified name. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
