import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'moleculer';
import { callTimeout } from '../lib/calls.ts';
import { ArraySet } from '../lib/churn.ts';
import { http } from '../lib/node-http.ts';
import { StartError } from '../lib/start-error.ts';
import { connectionLimit } from './connections.ts';
import type { HttpRequest } from './exchange.ts';
import { observeConnections } from './observe-request.ts';
import { refuseUnparsed } from './refuse-unparsed.ts';
import { watchTransfers } from './transfers.ts';

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
  const server = http.createServer({ connectionsCheckingInterval }, (request, response) => serve(request, response));
  // The whole request has no deadline: `watchTransfers` ends slow transfers.
  Object.assign(server, { headersTimeout, requestTimeout: 0, keepAliveTimeout });
  // `100 Continue` is sent when the body is read, so that a request rejected before does not send its body in vain.
  server.on('checkContinue', (request: HttpRequest, response) => {
    request.allowBody = () => response.writeContinue();
    serve(request, response);
  });
  server.on('clientError', refuseUnparsed(logger));
  const inFlight = new ArraySet<ServerResponse>();
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
