import { createServer } from 'node:net';

/** Ports below those that systems give to whoever asks for any: nobody else gets one between here and its use. */
const lowest = 10_000;
const portsOfWorker = 1_000;
const workers = 20;
const begin = lowest + (Number(process.env.JEST_WORKER_ID ?? 0) % workers) * portsOfWorker;
/** One after the other from here, so that a test is never given one twice; anywhere, for other runs beside this one. */
let offset = Math.floor(Math.random() * portsOfWorker);

/**
 * A port that nobody listens on, for what has to know its port before it listens. Each worker of Jest has its own ports:
 * what one is given, and does not listen on yet, no other is given.
 */
export function freePort(): number {
  for (let looks = 0; looks < portsOfWorker; looks += 1) {
    const port = begin + (offset % portsOfWorker);
    offset += 1;
    if (isFree(port)) return port;
  }
  throw new Error(`No port from ${begin} on is free.`);
}

/** Listens for an instant. Without a host, Node binds the port within the call. */
function isFree(port: number): boolean {
  const server = createServer().on('error', () => undefined);
  server.listen(port);
  const isListening = server.listening;
  server.close();
  return isListening;
}
