import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Service } from 'moleculer';
import { settings } from '../lib/settings.ts';
import { StartError } from '../lib/start-error.ts';

const requestTimeout = 60_000;
const pauseBetweenSweeps = 50;

/** Starts to listen; an occupied port stops the start with a sentence a person can act on. */
export async function listen(this: Service & { server: Server }): Promise<void> {
  const { server } = this;
  server.requestTimeout = requestTimeout;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error)));
    server.listen(settings.PORT, settings.HOST, resolve);
  });
  // With PORT=0 the system chooses the port, and this line is how one learns it.
  const { address: host, port } = server.address() as AddressInfo;
  this.logger.info('listening', { host, port });
}

/** Takes no new connection and lets the requests in flight end; a kept-alive connection closes as soon as it is idle. */
export function stopListening(this: Service & { server: Server }): Promise<void> {
  const { server } = this;
  return new Promise((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), pauseBetweenSweeps);
    server.close(() => {
      clearInterval(sweep);
      resolve();
    });
  });
}

function explain(error: NodeJS.ErrnoException): Error {
  if (error.code !== 'EADDRINUSE') return error;
  return new StartError(`Port ${settings.PORT} is already in use. Stop what uses it, or choose another with PORT.`);
}
