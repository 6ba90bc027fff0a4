import { chmodSync, existsSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { startFailure } from './start-failure.ts';

const socketFileName = 'mongo.sock';
const addressFileName = 'address.json';
/** The `sockaddr_un` path limit is about 104 bytes on the strictest Unix systems. */
const socketPathLimitBytes = 100;

/** Listens on a socket in `dir`, or on the loopback port `port`; returns the URL for drivers. */
export async function listen(server: Server, dir: string, port: number | undefined): Promise<string> {
  const path = join(realpathSync(dir), socketFileName);
  const fits = process.platform !== 'win32' && Buffer.byteLength(path) <= socketPathLimitBytes;
  if (port !== undefined || !fits) return listenOnPort(server, port ?? 0);
  // This process holds the lock, so the previous owner has ended and its socket file is stale.
  rmSync(path, { force: true });
  await started(server, () => server.listen(path));
  chmodSync(path, 0o600);
  return `mongodb://${encodeURIComponent(path)}/?directConnection=true`;
}

async function listenOnPort(server: Server, port: number): Promise<string> {
  await started(server, () => server.listen(port, '127.0.0.1'));
  const address = server.address();
  const actual = typeof address === 'object' && address ? address.port : port;
  return `mongodb://127.0.0.1:${actual}/?directConnection=true`;
}

function started(server: Server, begin: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explained(error)));
    server.once('listening', resolve);
    begin();
  });
}

function explained(error: NodeJS.ErrnoException): Error {
  if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') return error;
  return startFailure('PORT_IN_USE', `The database cannot listen on its address: ${error.message}`, error);
}

/** Writes the URL to a file that other processes of this machine read. */
export function publishAddress(dir: string, url: string): void {
  const path = join(dir, addressFileName);
  writeFileSync(`${path}.new`, JSON.stringify({ url, pid: process.pid }), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** Removes the published address during an orderly shutdown. */
export function withdrawAddress(dir: string): void {
  rmSync(join(dir, socketFileName), { force: true });
  rmSync(join(dir, addressFileName), { force: true });
}

/** Reads the published URL; null when the file is missing or was left incomplete by a power loss. */
export function readAddress(dir: string): string | null {
  const path = join(dir, addressFileName);
  if (!existsSync(path)) return null;
  try {
    const { url } = JSON.parse(readFileSync(path, 'utf8')) as { url: unknown };
    return typeof url === 'string' ? url : null;
  } catch {
    return null;
  }
}
