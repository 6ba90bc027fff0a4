import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerDataStream } from 'smtp-server';

/** How the far end answers a message: it may refuse it for good or for now, be slow, or end the connection. */
export type Behaviour = 'accept' | 'refuse' | 'defer' | 'slow' | 'close' | 'accept-and-close';

export type FarEnd = {
  url: string;
  /** The Message-IDs of accepted messages, in their order; one that was accepted twice is there twice. */
  accepted: string[];
  /** How many senders are connected. */
  connected: () => number;
  close: () => Promise<void>;
};

/**
 * A mail server of the npm package `smtp-server`. `behaviourOf` is asked for each message after its text was received,
 * with the number of messages before it.
 */
export async function startFarEnd(behaviourOf: (number: number, recipient: string) => Behaviour): Promise<FarEnd> {
  const accepted: string[] = [];
  let count = 0;
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    onData(stream, session, callback) {
      void readText(stream).then((text) => {
        const recipient = session.envelope.rcptTo[0]?.address ?? '';
        const behaviour = behaviourOf(count, recipient);
        count += 1;
        const id = /^Message-ID: <([^>]+)>/im.exec(text)?.[1] ?? '';
        const answer = (code: number, words: string) =>
          callback(Object.assign(new Error(words), { responseCode: code }));
        if (behaviour === 'refuse') return answer(550, 'Mailbox unavailable');
        if (behaviour === 'defer') return answer(451, 'Try again later');
        const end = () => connectionOf(server, session.id)?.destroy();
        if (behaviour === 'close') return end();
        accepted.push(id);
        if (behaviour === 'accept-and-close') return end();
        setTimeout(() => callback(null), behaviour === 'slow' ? 300 : 0);
        // A sender that was killed leaves its text incomplete.
      }, ignored);
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    accepted,
    connected: () => connectionsOf(server).size,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

const ignored = () => undefined;

type Connection = { id: string; _socket: { destroy: () => void } };

function connectionsOf(server: SMTPServer): Set<Connection> {
  return (server as unknown as { connections: Set<Connection> }).connections;
}

function connectionOf(server: SMTPServer, id: string): Connection['_socket'] | undefined {
  return [...connectionsOf(server)].find((connection) => connection.id === id)?._socket;
}

async function readText(stream: SMTPServerDataStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
