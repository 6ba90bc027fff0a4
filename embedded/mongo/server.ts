import { createServer, type Server, type Socket } from 'node:net';
import type { Fields } from './bson/value.ts';
import { type Command, type Context, namespaceOf, type Request } from './commands/command.ts';
import { commands } from './commands/registry.ts';
import { errorReply, MongoError } from './errors.ts';
import { createExecutor, type Executor } from './group-commit.ts';
import { resumeBuilds } from './store/build.ts';
import type { LogSync } from './store/log-sync.ts';
import { formatReply, headerBytes, type Message, messageSizeLimitBytes, parseMessage } from './wire.ts';

export type MongoServer = { server: Server; close: () => Promise<void> };

/** Creates a server for the wire protocol over a store; the caller makes it listen. */
export function createMongoServer(context: Context): MongoServer {
  const { log } = context;
  const executor = createExecutor(context);
  resumeUnfinished(executor, context);
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => {
      sockets.delete(socket);
      executor.abandon(socket);
    });
    // An aborted connection is not an error of the database.
    socket.on('error', () => socket.destroy());
    readMessages(socket, (bytes) => handleMessage(executor, log, socket, bytes));
  });
  const close = async () => {
    server.close();
    await executor.drain();
    await new Promise<void>((resolve) => log.whenDurable(null, resolve));
    await Promise.all([...sockets].map(endSocket));
  };
  return { server, close };
}

/** Resumes the index builds that an earlier run of the server did not finish. */
function resumeUnfinished(executor: Executor, { store }: Context): void {
  const isUnfinished = [...store.collections.values()].some(({ indexes }) =>
    indexes.some(({ builtTo }) => builtTo !== undefined),
  );
  if (!isUnfinished) return;
  const command: Command = {
    kind: 'write',
    options: new Set(),
    run: function* () {
      yield* resumeBuilds(store);
      return {};
    },
  };
  const request = { name: 'createIndexes', database: 'admin', sequences: new Map(), timeLimit: Infinity };
  executor.submit({ command, request: { ...request, body: new Map() }, connection: {}, answer: () => {} });
}

function endSocket(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const giveUp = setTimeout(() => socket.destroy(), 1000);
    socket.once('close', () => {
      clearTimeout(giveUp);
      resolve();
    });
    socket.destroySoon();
  });
}

/** Splits the stream of a socket into whole messages. */
function readMessages(socket: Socket, handle: (bytes: Buffer) => void): void {
  let chunks: Buffer[] = [];
  let available = 0;
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    available += chunk.length;
    for (;;) {
      const length = nextLength(chunks, available);
      if (length === undefined || (length <= available && length < headerBytes) || length > messageSizeLimitBytes) {
        if (length !== undefined) socket.destroy();
        return;
      }
      if (available < length) return;
      const all = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
      handle(all.subarray(0, length));
      available = all.length - length;
      chunks = available > 0 ? [all.subarray(length)] : [];
    }
  });
}

function nextLength(chunks: Buffer[], available: number): number | undefined {
  if (available < headerBytes) return undefined;
  const first = chunks[0];
  if (first && first.length >= 4) return first.readInt32LE(0);
  return Buffer.concat(chunks).readInt32LE(0);
}

function handleMessage(executor: Executor, log: LogSync, socket: Socket, bytes: Buffer): void {
  const envelope = { requestId: bytes.readInt32LE(4), protocol: 'message' as const };
  let message: Message;
  try {
    message = parseMessage(bytes);
  } catch (error) {
    socket.write(formatReply(envelope, errorReply(asMongoError(error))));
    return;
  }
  const [name = ''] = message.body.keys();
  const command = commands.get(name);
  const request = requestOf(name, message);
  // A read may see a transaction that is committed but not durable, so its answer waits for the sync. It waits only for
  // transactions that changed its collection.
  const seen = command?.kind === 'read' ? namespaceOf(request) : null;
  const answer = (reply: Fields) => {
    if (!message.wantsReply) return;
    const formatted = formatReply(message, reply);
    const send = () => {
      if (socket.writable) socket.write(formatted);
    };
    log.whenDurable(seen, send);
  };
  if (command) executor.submit({ command, request, connection: socket, answer });
  else answer(errorReply(unknownCommand(name)));
}

function requestOf(name: string, message: Message): Request {
  const database = message.body.get('$db');
  return {
    name,
    database: typeof database === 'string' ? database : 'test',
    body: message.body,
    sequences: message.sequences,
    timeLimit: Infinity,
  };
}

const knownElsewhere = new Set([
  'mapReduce',
  'collMod',
  'renameCollection',
  'commitTransaction',
  'abortTransaction',
  'watch',
]);

function unknownCommand(name: string): MongoError {
  if (knownElsewhere.has(name))
    return new MongoError('CommandNotSupported', `The embedded database does not support the command ${name}`);
  return new MongoError('CommandNotFound', `no such command: '${name}'; the embedded database does not have it`);
}

function asMongoError(error: unknown): MongoError {
  if (error instanceof MongoError) return error;
  return new MongoError('BadValue', `The message could not be read: ${String(error)}`);
}
