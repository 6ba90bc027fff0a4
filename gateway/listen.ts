import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Service } from 'moleculer';
import { settings } from '../lib/settings.ts';
import { StartError } from '../lib/start-error.ts';
import { enforceRequestTimeout } from './request-timeout.ts';

/** The timeouts for the headers and for the whole request, and how often they are checked. */
const headersTimeout = 15_000;
const requestTimeout = 60_000;
/**
 * Longer than nginx and AWS load balancers reuse an idle connection by default (60 s), so that they never reuse a
 * closed one.
 */
const keepAliveTimeout = 75_000;
export const connectionsCheckingInterval = 2_000;
const pauseBetweenSweeps = 50;
/** How long a stop waits for requests in flight, as long as Moleculer waits for calls. */
const drainTimeout = 10_000;

type Gateway = Service & { server: Server; answering: Set<ServerResponse>; stopTimeouts: () => void };

/** Starts to listen. An occupied port fails the start with a message for the operator. */
export async function listen(this: Gateway): Promise<void> {
  const { server } = this;
  Object.assign(server, { headersTimeout, requestTimeout, keepAliveTimeout });
  this.answering = new Set();
  this.stopTimeouts = enforceRequestTimeout(this.answering);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error)));
    server.listen(settings.PORT, settings.HOST, resolve);
  });
  // With PORT=0 the system chooses the port; this line shows it.
  const { address: host, port } = server.address() as AddressInfo;
  this.logger.info('listening', { host, port });
}

/**
 * Drains the server: every answer from now on closes its connection. After DRAIN_SECONDS, in which a load balancer
 * detects that the node is not ready, no new connection is accepted. Resolves when the last answer was sent.
 */
export async function drain(this: Gateway): Promise<void> {
  for (const response of this.answering) closeAfter(response);
  this.server.prependListener('request', (_request, response: ServerResponse) => closeAfter(response));
  await wait(settings.DRAIN_SECONDS * 1000);
  await stopListening.call(this);
}

/** Takes no new connection and lets the requests in flight end; a kept-alive connection closes as soon as it is idle. */
export function stopListening(this: Gateway): Promise<void> {
  const { server } = this;
  return new Promise((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), pauseBetweenSweeps);
    const giveUp = setTimeout(() => server.closeAllConnections(), drainTimeout);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(giveUp);
      this.stopTimeouts();
      resolve();
    });
  });
}

function closeAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

function explain(error: NodeJS.ErrnoException): Error {
  if (error.code !== 'EADDRINUSE') return error;
  return new StartError(`Port ${settings.PORT} is already in use. Stop what uses it, or choose another with PORT.`);
}
