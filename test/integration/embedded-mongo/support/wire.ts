import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Document, deserialize, serialize } from 'bson';

/** A connection that says what no driver would; each message is one OP_MSG with this body. */
export type RawConnection = {
  send(message: Buffer): void;
  /**
   * Sends a body, in pieces of so many bytes when told, and gives the reply, or null when the server ended the
   * connection instead.
   */
  command(body: Buffer | Document, pieceBytes?: number): Promise<Document | null>;
  end(): void;
};

export async function connectRaw(url: string): Promise<RawConnection> {
  const socket = connect(addressOf(url));
  await once(socket, 'connect');
  socket.on('error', () => socket.destroy());
  return {
    send: (message) => void socket.write(message),
    command: (body, pieceBytes = Infinity) => {
      const message = opMsg(Buffer.isBuffer(body) ? body : Buffer.from(serialize(body)));
      for (let at = 0; at < message.length; at += pieceBytes) socket.write(message.subarray(at, at + pieceBytes));
      return reply(socket);
    },
    end: () => void socket.destroy(),
  };
}

function addressOf(url: string): { path: string } | { host: string; port: number } {
  const host = /^mongodb:\/\/([^/]+)\//.exec(url)?.[1] ?? '';
  const [name = '', port] = host.split(':');
  return port === undefined ? { path: decodeURIComponent(host) } : { host: name, port: Number(port) };
}

function opMsg(body: Buffer): Buffer {
  const header = Buffer.alloc(21);
  header.writeInt32LE(header.length + body.length, 0);
  header.writeInt32LE(1, 4);
  header.writeInt32LE(2013, 12);
  return Buffer.concat([header, body]);
}

function reply(socket: Socket): Promise<Document | null> {
  return new Promise((resolve) => {
    let bytes = Buffer.alloc(0);
    const onData = (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (bytes.length < 4 || bytes.length < bytes.readInt32LE(0)) return;
      socket.off('data', onData).off('close', onClose);
      resolve(deserialize(bytes.subarray(21)));
    };
    const onClose = () => resolve(null);
    socket.on('data', onData).once('close', onClose);
  });
}
