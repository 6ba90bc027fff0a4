import { createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { freePort } from '../../support/free-port.ts';

test('no port is given twice, though nobody listens on it yet, and none that somebody listens on', async () => {
  const first = freePort();
  const next = first % 1_000 === 999 ? first - 999 : first + 1;
  const server = createServer();
  await new Promise<void>((resolve) => server.on('error', () => resolve()).listen(next, resolve));
  try {
    const ports = [first, ...Array.from({ length: 9 }, freePort)];
    expect(new Set(ports).size).toBe(10);
    expect(ports).not.toContain(next);
  } finally {
    server.close();
  }
});

test('each worker of Jest has ports of its own', () => {
  const worker = Number(process.env.JEST_WORKER_ID);
  expect(Math.floor(freePort() / 1_000)).toBe(10 + (worker % 20));
});
