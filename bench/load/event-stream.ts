import { connect, type Socket } from 'node:net';

/** Opens an event stream; resolves with its first bytes. */
export function openStream(port: number, path: string, authorization: string, orgId?: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', reject);
    const tenant = orgId === undefined ? '' : `x-tenant-id: ${orgId}\r\n`;
    socket.write(`GET ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: ${authorization}\r\n${tenant}\r\n`);
    socket.once('data', (chunk: Buffer) => {
      if (chunk.toString().startsWith('HTTP/1.1 200 ')) resolve(socket.resume());
      else reject(new Error(`A stream was rejected: ${chunk}`));
    });
  });
}
