import { createServer, type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'moleculer';
import { Gauge, Histogram } from 'prom-client';
import { ArraySet } from '../lib/concurrency/churn.ts';
import { callTimeout, credentialId } from '../lib/contract/context.ts';
import { apiError, type ErrorCode } from '../lib/contract/errors.ts';
import { renderError } from '../lib/contract/render-error.ts';
import { newId } from '../lib/data/ids.ts';
import { DeclaredFields, isLogged } from '../lib/log/logging.ts';
import { settings } from '../lib/settings/settings.ts';
import { StartError } from '../lib/settings/start-error.ts';
import { connectionLimit } from './connections.ts';
import { clientAddress, type HttpRequest, type HttpResponse } from './request.ts';
import { sendError, setHeaders } from './response.ts';

const requestSeconds = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Time from the first byte of a request to the last of its answer, by route and status.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
});

const openConnections = new Gauge({ name: 'http_connections', help: 'Open connections of clients to the gateway.' });

/** Exports the number of a server's connections, which reveals leaks. */
export function observeConnections(server: Server): void {
  server.on('connection', (connection) => {
    openConnections.inc();
    connection.once('close', () => openConnections.dec());
  });
}

const logsRequests = isLogged('info', settings.LOG_LEVEL);
const logEvery = settings.ACCESS_LOG_EVERY;
const freeText = ['path'];
/** A path segment of this length may be a token: it is longer than any id. */
const tokenLike = /[\w-]{40,}/g;
let successes = 0;

/**
 * Logs and measures each request after its answer was sent. The query is not logged, because it may hold personal data.
 * The metrics use the route's pattern instead of the path, to bound their cardinality.
 */
export function observeRequest(logger: Logger, request: HttpRequest, response: HttpResponse): void {
  const milliseconds = performance.now() - request.startedAt;
  const method = request.receivedMethod;
  const route = request.route?.fullPath ?? 'unmatched';
  // 499: the client disconnected before its answer was complete.
  const status = response.writableFinished ? response.statusCode : 499;
  requestSeconds.observe({ method, route, status }, milliseconds / 1000);
  if (!logsRequests || isLook(route) || isSkipped(status)) return;
  const caller = request.ctx?.meta.caller;
  const fields = {
    requestId: request.requestId,
    method,
    path: loggedPath(request),
    status,
    milliseconds: Math.round(milliseconds * 10) / 10,
    address: clientAddress(request),
    ...(caller && { orgId: caller.orgId, credentialId: credentialId(caller) }),
    ...(logEvery > 1 && status < 400 && { logEvery }),
  };
  logger.info('request', new DeclaredFields(fields, freeText));
}

/** Whether it is a health probe, which supervisors send every few seconds; the node logs readiness changes itself. */
const isLook = (route: string): boolean => route.startsWith('/health/');

/** Samples successful requests by ACCESS_LOG_EVERY; rejected and failed ones are always logged. */
function isSkipped(status: number): boolean {
  if (logEvery === 1 || status >= 400) return false;
  successes += 1;
  return successes % logEvery !== 0;
}

/** The path without secrets, such as the token of an invitation. */
export function loggedPath({ url = '', route }: HttpRequest): string {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  if (!route) return path.replace(tokenLike, '***');
  // By its place, because a client may encode more characters of the token than it has to.
  const place = route.fullPath.split('/').indexOf(':token');
  return place < 0 ? path : path.split('/').with(place, '***').join('/');
}

/** The error codes with which Node ends a connection. Any other code is a request that its parser cannot read. */
const codes: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

type Connection = Duplex & { remoteAddress?: string };

/**
 * Answers unparsable data with a regular error response, and closes the connection. `inFlight` are the responses that
 * are not complete.
 */
export const rejectUnparsed =
  (logger: Logger, inFlight: Iterable<ServerResponse>) =>
  (error: NodeJS.ErrnoException, stream: Duplex): void => {
    const connection: Connection = stream;
    // The client has disconnected, or an answer is in flight and must not be followed by a second.
    if (!connection.writable || error.code === 'ECONNRESET' || isAnswering(connection, inFlight)) {
      connection.destroy();
      return;
    }
    const requestId = newId('req');
    const { status, body } = renderError(apiError(codes[error.code ?? ''] ?? 'REQUEST_MALFORMED'), requestId);
    const text = JSON.stringify(body);
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `X-Request-Id: ${requestId}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(text)}`,
      'Connection: close',
    ];
    connection.end(`${head.join('\r\n')}\r\n\r\n${text}`, () => connection.destroy());
    logger.info('unparsed request', { requestId, status, reason: error.code, address: connection.remoteAddress });
  };

function isAnswering(connection: Duplex, inFlight: Iterable<ServerResponse>): boolean {
  for (const { socket, headersSent } of inFlight) if (socket === connection && headersSent) return true;
  return false;
}

const sweepInterval = 500;
/** The timeout of a transfer without progress while the platform waits for the client. */
export const idleTimeout = 60_000;
/** The minimum average rate of a transfer, counted from its start, and the time before it applies. */
export const minBytesPerSecond = 1024;
export const graceMilliseconds = 30_000;

/**
 * The progress of one direction of an exchange. Time in which the platform itself delays the transfer does not count:
 * `since` and `movedAt` advance with it.
 */
export type Progress = { base: number; bytes: number; since: number; movedAt: number; sweptAt: number };

/**
 * Watches the exchanges in flight. A handler that takes too long is answered 503; a client that sends or reads too
 * slowly is disconnected, a sender with 408 if no answer was sent yet. One sweep over all of them costs less than a
 * timer for each. Returns a function that stops the sweeps.
 */
export function watchTransfers(inFlight: Iterable<ServerResponse>): () => void {
  const sweeps = setInterval(() => {
    const now = performance.now();
    for (const response of inFlight) check(response.req as HttpRequest, response, now);
  }, sweepInterval);
  sweeps.unref();
  return () => clearInterval(sweeps);
}

function check(request: HttpRequest, response: ServerResponse, now: number): void {
  // It was answered already, and its handler ends on its own.
  if (request.hasTimedOut) return;
  if (!request.complete) {
    if (isTooSlow(uploadOf(request, now), now)) end(request, response, tooSlow());
  } else if (!response.headersSent) {
    request.receivedAt ??= now;
    const limit = request.contract?.handlerTimeout ?? callTimeout;
    if (limit > 0 && now - request.receivedAt >= limit) end(request, response, apiError('UNAVAILABLE'));
  }
  if (response.headersSent && isTooSlow(downloadOf(request, response, now), now)) response.destroy();
}

const tooSlow = (): Error => apiError('REQUEST_TIMEOUT', { headers: { Connection: 'close' } });

function uploadOf(request: HttpRequest, now: number): Progress {
  const bytesRead = request.socket?.bytesRead ?? 0;
  // Unread data means that the handler is slower than the client.
  const isWaiting = request.readableLength === 0 && request.readableFlowing !== false;
  request.upload = advance(request.upload, bytesRead, isWaiting, now);
  return request.upload;
}

function downloadOf(request: HttpRequest, response: ServerResponse, now: number): Progress {
  const { socket } = response;
  const queued = response.writableLength;
  // `bytesWritten` includes the bytes that are still queued in this process.
  const dispatched = Math.max(0, (socket?.bytesWritten ?? 0) - queued);
  request.download = advance(request.download, dispatched, queued > 0, now);
  return request.download;
}

/** Updates the progress at `now` to `total` bytes; `isWaiting`: the platform waits for the client. */
export function advance(previous: Progress | undefined, total: number, isWaiting: boolean, now: number): Progress {
  if (!previous) return { base: total, bytes: 0, since: now, movedAt: now, sweptAt: now };
  const bytes = total - previous.base;
  const held = isWaiting ? 0 : now - previous.sweptAt;
  const hasMoved = bytes > previous.bytes || !isWaiting;
  return {
    base: previous.base,
    bytes,
    since: previous.since + held,
    movedAt: hasMoved ? now : previous.movedAt,
    sweptAt: now,
  };
}

export function isTooSlow({ bytes, since, movedAt }: Progress, now: number): boolean {
  if (now - movedAt >= idleTimeout) return true;
  const milliseconds = now - since;
  return milliseconds >= graceMilliseconds && bytes < (minBytesPerSecond * milliseconds) / 1000;
}

function end(request: HttpRequest, response: ServerResponse, error: Error): void {
  request.hasTimedOut = true;
  setHeaders(request, response);
  sendError(request, response, error);
}

/** The timeout of the headers of a request, and the interval at which it is checked. */
const headersTimeout = 15_000;
const connectionsCheckingInterval = 2_000;
/**
 * Longer than nginx and AWS load balancers reuse an idle connection by default (60 s), so that they never reuse a
 * closed one.
 */
const keepAliveTimeout = 75_000;
const pauseBetweenSweeps = 50;
/** The timeout of a stop for requests in flight, equal to the timeout of calls. */
const drainTimeout = callTimeout;

export type BindAddress = { host: string; port: number };

/** An HTTP server of the platform: a port, the timeouts of its connections, and a graceful stop. */
export type Listener = {
  server: Server;
  /** Responses that are not complete. The handler adds them, and removes them when they close. */
  inFlight: ArraySet<ServerResponse>;
  /**
   * Starts to listen; with port 0 the system chooses one. Rejects with a message for operators when the port is in use.
   */
  listen: (place: BindAddress, whenInUse: string) => Promise<BindAddress>;
  /**
   * Makes every further answer close its connection. Resolves after `seconds`, in which a load balancer detects that
   * the node is not ready.
   */
  drain: (seconds: number) => Promise<void>;
  /**
   * Replaces the request handler, also for open connections. Resolves when the requests in flight of the previous
   * handler have ended, after `drainTimeout` at most.
   */
  handOver: (serve: RequestListener) => Promise<void>;
  /** Accepts no new connections and lets the requests in flight end; idle connections are closed. */
  close: () => Promise<void>;
};

/** Creates a listener for the requests that `serve` answers. */
export function createListener(firstHandler: RequestListener, logger: Logger): Listener {
  let serve = firstHandler;
  const server = createServer({ connectionsCheckingInterval }, (request, response) => serve(request, response));
  // The whole request has no deadline: `watchTransfers` ends slow transfers.
  Object.assign(server, { headersTimeout, requestTimeout: 0, keepAliveTimeout });
  // `100 Continue` is sent when the body is read, so that a request rejected before does not send its body in vain.
  server.on('checkContinue', (request: HttpRequest, response) => {
    request.allowBody = () => response.writeContinue();
    serve(request, response);
  });
  const inFlight = new ArraySet<ServerResponse>();
  server.on('clientError', rejectUnparsed(logger, inFlight));
  watchConnections(server, inFlight);
  let stopWatching = (): void => undefined;

  function close(): Promise<void> {
    return new Promise((resolve) => {
      const sweep = setInterval(() => server.closeIdleConnections(), pauseBetweenSweeps);
      const giveUp = setTimeout(() => server.closeAllConnections(), drainTimeout);
      server.close(() => {
        clearInterval(sweep);
        clearTimeout(giveUp);
        stopWatching();
        resolve();
      });
    });
  }

  return {
    server,
    inFlight,
    async listen({ host, port }, whenInUse) {
      await new Promise<void>((resolve, reject) => {
        server.once('error', (error: NodeJS.ErrnoException) =>
          reject(error.code === 'EADDRINUSE' ? new StartError(whenInUse) : error),
        );
        server.listen(port, host, resolve);
      });
      stopWatching = watchTransfers(inFlight);
      const { address, port: used } = server.address() as AddressInfo;
      return { host: address, port: used };
    },
    async drain(seconds) {
      for (const response of inFlight) closeAfter(response);
      server.prependListener('request', (_request, response: ServerResponse) => closeAfter(response));
      await wait(seconds * 1000);
    },
    async handOver(nextHandler) {
      serve = nextHandler;
      const ended = [...inFlight].map((response) => new Promise((resolve) => response.once('close', resolve)));
      await Promise.race([Promise.all(ended), wait(drainTimeout, undefined, { ref: false })]);
    },
    close,
  };
}

function watchConnections(server: Server, inFlight: ArraySet<ServerResponse>): void {
  observeConnections(server);
  connectionLimit.watch(server, inFlight);
}

function closeAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}
