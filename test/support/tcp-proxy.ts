import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A way to a server that a test can break and mend. */
export type TcpProxy = {
  port: number;
  /** Ends every connection and refuses new ones, as if the server had died. */
  cut: () => Promise<void>;
  /** Keeps every connection open and lets nothing through, as if the server's machine were gone. */
  freeze: () => void;
  /** Lets everything through again, on the same port. */
  mend: () => Promise<void>;
  close: () => Promise<void>;
};

/** Forwards a free loopback port to a server's; `target` is the server's URL. */
export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port: targetPort } = new URL(target);
  const sockets = new Set<Socket>();
  let frozen = false;
  const track = (socket: Socket) => {
    sockets.add(socket);
    // A connection that breaks is what this is for.
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    return socket;
  };
  const server = createServer((near) => {
    track(near);
    const far = track(connect(Number(targetPort), hostname));
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    if (frozen) hold([near, far]);
  });
  await listen(server, 0);
  const { port } = server.address() as AddressInfo;
  const end = async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    port,
    cut: end,
    freeze() {
      frozen = true;
      hold(sockets);
    },
    async mend() {
      frozen = false;
      for (const socket of sockets) socket.resume();
      if (!server.listening) await listen(server, port);
    },
    async close() {
      if (server.listening) await end();
    },
  };
}

function hold(sockets: Iterable<Socket>): void {
  for (const socket of sockets) socket.pause();
}

async function listen(server: Server, port: number): Promise<void> {
  // A test that fails half way must not be kept waiting for it.
  server.listen(port, '127.0.0.1').unref();
  await once(server, 'listening');
}
