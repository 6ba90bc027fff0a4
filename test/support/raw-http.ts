import { connect, type Socket } from 'node:net';

/** Opens a connection to a platform and sends bytes on it as they are. */
export async function openConnection(url: string, bytes = ''): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // What becomes of the connection is what tests look at; a reset is no surprise.
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  if (bytes) socket.write(bytes, 'latin1');
  return socket;
}

/** Sends bytes and gives what comes back until the server ends the connection; ask for `Connection: close`. */
export async function exchangeBytes(url: string, bytes: string): Promise<string> {
  const socket = await openConnection(url, bytes);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  await new Promise<void>((resolve) => socket.once('close', resolve));
  return Buffer.concat(chunks).toString('utf8');
}
