import { execFileSync } from 'node:child_process';

/** Ports below those that systems give to whoever asks for any: nobody else gets one between here and its use. */
const search = `
  const { createServer } = require('node:net');
  (function look() {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    const server = createServer().on('error', look).listen(port, () => { console.log(port); server.close(); });
  })();`;

/** A port that nobody listens on, for what has to know its port before it listens. */
export function freePort(): number {
  return Number(execFileSync(process.execPath, ['-e', search], { encoding: 'utf8', timeout: 20_000 }));
}
