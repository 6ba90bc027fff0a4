import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import mongoose from 'mongoose';

/** What a process is about to write: `insert identity_api_keys`. */
export type Write = { name: string; changes: unknown };

/**
 * What becomes of a write: `drop` never gets to the database, nor does anything that follows on its connection; with
 * `refuse` that connection ends too. With `hold` it gets there, and the process waits for its answer; with `cut` the
 * connection ends in place of the answer.
 */
export type Fate = 'forward' | 'drop' | 'refuse' | 'hold' | 'cut';

/** Stands between a process and its database, and decides of each write whether it arrives. */
export type DeadlyProxy = { url: string; close: () => Promise<void> };

const headerBytes = 16;
const flagBytes = 4;
const bodySection = 0;
const opMsg = 2013;
const sequenceSection = 1;

/** Forwards a loopback port to a database's. `onWrite` sees each insert and update before the database does. */
export async function startDeadlyProxy(databaseUrl: string, onWrite: (write: Write) => Fate): Promise<DeadlyProxy> {
  const { port, hostname } = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      // The process at the other end is meant to die.
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    }
    far.pipe(near);
    near.on('close', () => far.destroy());
    let rest = Buffer.alloc(0);
    near.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= headerBytes && rest.length >= rest.readInt32LE(0)) {
        const message = rest.subarray(0, rest.readInt32LE(0));
        rest = rest.subarray(message.length);
        const write = readWrite(message);
        const fate = write ? onWrite(write) : 'forward';
        if (fate === 'drop' || fate === 'refuse') near.removeAllListeners('data');
        if (fate === 'refuse') near.destroy();
        if (fate === 'drop' || fate === 'refuse') return;
        if (fate === 'hold' || fate === 'cut') far.unpipe(near).resume();
        if (fate === 'cut') far.once('data', () => near.destroy());
        far.write(message);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

/** The insert, update or findAndModify in a message of the MongoDB wire protocol (OP_MSG), or null when it is something else. */
function readWrite(message: Buffer): Write | null {
  const section = headerBytes + flagBytes;
  if (message.readInt32LE(12) !== opMsg || message[section] !== bodySection) return null;
  const length = message.readInt32LE(section + 1);
  const command = mongoose.mongo.BSON.deserialize(message.subarray(section + 1, section + 1 + length));
  const [name = '', collection] = Object.entries(command)[0] ?? [];
  if (name !== 'insert' && name !== 'update' && name !== 'findAndModify') return null;
  if (name === 'findAndModify') return { name: `update ${collection}`, changes: [command.query, command.update] };
  const rest = message.subarray(section + 1 + length);
  return { name: `${name} ${collection}`, changes: command.documents ?? command.updates ?? readSequence(rest) };
}

/** The documents of a section that holds them beside the command: its size, its name and one after the other. */
function readSequence(section: Buffer): unknown[] {
  if (section[0] !== sequenceSection) return [];
  const end = 1 + section.readInt32LE(1);
  const documents: unknown[] = [];
  for (let from = section.indexOf(0, 5) + 1; from < end; from += section.readInt32LE(from)) {
    documents.push(mongoose.mongo.BSON.deserialize(section.subarray(from, from + section.readInt32LE(from))));
  }
  return documents;
}
