import { scrypt } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { takeServer } from '../load/job.ts';

/** Parameters of the platform's password hashes. */
export type BareScryptOptions = { costExponent: number; blockSize: number; parallelization: number };

const salt = Buffer.alloc(16, 1);
const hashBytes = 32;

/** Lower bound of a password check: one scrypt hash per request, and nothing else. */
function start({ costExponent, blockSize, parallelization }: BareScryptOptions): Promise<{ port: number }> {
  const parameters = { N: 2 ** costExponent, r: blockSize, p: parallelization };
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      scrypt('a password', salt, hashBytes, parameters, (error) => {
        response.writeHead(error ? 500 : 303, { 'Content-Length': 0 });
        response.end();
      });
    });
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve({ port: (server.address() as AddressInfo).port }));
  });
}

takeServer(start);
