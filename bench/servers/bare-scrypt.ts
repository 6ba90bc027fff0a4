import { scrypt } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { takeServer } from '../load/job.ts';

/** The parameters of the platform's own password hashes. */
export type BareScryptOptions = { costExponent: number; blockSize: number; parallelization: number };

const salt = Buffer.alloc(16, 1);
const hashBytes = 32;

/** What checking a password costs at the least: one scrypt hash a request, and nothing else. */
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
