import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { until } from './until.ts';

export type ServerEvent = { id: string; event: string; data: unknown };

/** An open stream of server-sent events, as a client reads it. */
export type EventClient = {
  status: number;
  headers: IncomingMessage['headers'];
  events: ServerEvent[];
  /** The comments and the fields `retry`. */
  others: string[];
  text: () => string;
  /** Resolves when the server has ended it. */
  ended: Promise<void>;
  isEnded: () => boolean;
  /** Waits for as many events of a name, and gives them. */
  take: (event: string, count?: number) => Promise<ServerEvent[]>;
  close: () => void;
};

/** Opens a stream and waits for its head. */
export async function listen(url: string, path: string, headers: Record<string, string>): Promise<EventClient> {
  const { hostname, port } = new URL(url);
  let outgoing!: ClientRequest;
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing = request({ agent: false, hostname, port, path, headers }, resolve).on('error', reject).end();
  });
  const events: ServerEvent[] = [];
  const others: string[] = [];
  let text = '';
  let rest = '';
  let isEnded = false;
  incoming.setEncoding('utf8').on('error', () => undefined);
  incoming.on('data', (chunk: string) => {
    text += chunk;
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) read(block, events, others);
  });
  const ended = new Promise<void>((resolve) => {
    incoming.once('close', () => {
      isEnded = true;
      resolve();
    });
  });
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    events,
    others,
    text: () => text,
    ended,
    isEnded: () => isEnded,
    async take(event, count = 1) {
      const found = () => events.filter((one) => one.event === event);
      await until(() => found().length >= count);
      return found();
    },
    close: () => outgoing.destroy(),
  };
}

function read(block: string, events: ServerEvent[], others: string[]): void {
  const lines = block.split('\n');
  const fieldOf = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const event = fieldOf('event');
  if (event === undefined) others.push(block);
  else events.push({ id: fieldOf('id') ?? '', event, data: JSON.parse(fieldOf('data') ?? 'null') });
}
