import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Logger } from 'moleculer';
import type { ConsoleReply, ConsoleRequest, Execute } from './execute.ts';

/*
 * The console of a single-process platform: other processes of the same user send command lines by a socket in
 * DATA_DIR, as lines of JSON, and get lines of JSON. The user of the socket may read the keys in the same folder.
 */

export const socketPath = (dataDir: string): string => join(dataDir, 'console.sock');

/** Accepts command lines from other processes. An error of the socket is only logged; the platform works without it. */
export async function serveConsole(dataDir: string, execute: Execute, logger: Logger): Promise<void> {
  const path = socketPath(dataDir);
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    answer(socket, execute).catch((error) => logger.warn('The console could not answer', { error }));
  });
  // A killed process leaves its socket. No other process can be using it: the database allows one owner of the folder.
  rmSync(path, { force: true });
  try {
    // It is bound when this returns, and accepts connections from the next turn on.
    server.listen(path);
    chmodSync(path, 0o600);
    await once(server, 'listening');
  } catch (error) {
    logger.warn('The console cannot be reached from other processes', { path, error });
  }
  server.on('error', (error) => logger.warn('The console cannot be reached from other processes', { path, error }));
  server.unref();
}

async function answer(socket: Socket, execute: Execute): Promise<void> {
  for await (const line of createInterface({ input: socket })) {
    const reply = await execute(JSON.parse(line) as ConsoleRequest);
    socket.write(`${JSON.stringify(reply)}\n`);
  }
}

/** Connects to the platform that runs on this folder in another process; null when none does. */
export async function connectConsole(dataDir: string): Promise<Execute | null> {
  const socket = createConnection(socketPath(dataDir));
  try {
    await once(socket, 'connect');
  } catch {
    return null;
  }
  const replies = createInterface({ input: socket })[Symbol.asyncIterator]();
  socket.on('error', () => undefined);
  socket.unref();
  return async (request) => {
    socket.ref();
    socket.write(`${JSON.stringify(request)}\n`);
    const { value, done } = await replies.next();
    socket.unref();
    if (done) return { kind: 'failed', code: 'UNAVAILABLE', message: 'The platform has stopped.' };
    return JSON.parse(value) as ConsoleReply;
  };
}
