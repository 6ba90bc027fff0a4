import { execFileSync } from 'node:child_process';

/** Ports below those that systems give to whoever asks for any: nobody else gets one between here and its use. */
const lowest = 10_000;
const portsOfWorker = 1_000;
const workers = 20;
const begin = lowest + (Number(process.env.JEST_WORKER_ID ?? 0) % workers) * portsOfWorker;
/** One after the other from here, so that a test is never given one twice; anywhere, for other runs beside this one. */
let offset = Math.floor(Math.random() * portsOfWorker);

const search = `
  const { createServer } = require('node:net');
  const [begin, count, offset] = process.argv.slice(1).map(Number);
  (function look(ahead) {
    const port = begin + (offset + ahead) % count;
    const server = createServer().on('error', () => look(ahead + 1));
    server.listen(port, () => { console.log(port); server.close(); });
  })(0);`;

/**
 * A port that nobody listens on, for what has to know its port before it listens. Each worker of Jest has its own ports:
 * what one is given, and does not listen on yet, no other is given.
 */
export function freePort(): number {
  const values = [begin, portsOfWorker, offset].map(String);
  const output = execFileSync(process.execPath, ['-e', search, ...values], { encoding: 'utf8', timeout: 20_000 });
  const port = Number(output);
  offset = port - begin + 1;
  return port;
}
