import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { boundedFigure, type Figure, leftOut } from '../figure.ts';
import { openStream } from '../load/event-stream.ts';
import type { Options } from '../options.ts';
import { residentMebibytes, startServer, waitUntilQuiet } from '../processes.ts';
import { say } from '../progress.ts';
import type { EventStreamsAddress } from '../servers/event-streams.ts';

const streams = 5000;
const openedAtOnce = 100;
const mostKibibytes = 60;
const mostMilliseconds = 1000;
const longestWait = 60_000;

type Round = { kibibytes: number; milliseconds: number };

/**
 * Measures the memory of open event streams on one node, and how long they stay open after their credentials are
 * revoked.
 */
export async function measureStreams({ rounds }: Options): Promise<Figure[]> {
  if (residentMebibytes(process.pid) === null) return [leftOut('event streams', 'this system has no /proc')];
  const measured: Round[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const one = await measureOnce();
    measured.push(one);
    say(
      `streams, round ${round}/${rounds}: ${one.kibibytes.toFixed(1)} KiB each, all closed after ${one.milliseconds} ms`,
    );
  }
  return [
    boundedFigure(
      `memory of each of ${streams} open event streams`,
      measured,
      ({ kibibytes }) => kibibytes,
      'KiB',
      mostKibibytes,
    ),
    boundedFigure(
      `all ${streams} closed after a revocation`,
      measured,
      ({ milliseconds }) => milliseconds,
      'ms',
      mostMilliseconds,
    ),
  ];
}

async function measureOnce(): Promise<Round> {
  const environment = { PORT: '0', RATE_LIMIT_RPS: '0', LOG_LEVEL: 'warn' };
  const server = await startServer<EventStreamsAddress>('servers/event-streams.ts', {}, environment);
  const { port, apiKeys } = server.address;
  await waitUntilQuiet(server.pid);
  const before = residentMebibytes(server.pid) ?? 0;
  const sockets: Socket[] = [];
  while (sockets.length < streams) {
    const indexes = Array.from({ length: openedAtOnce }, (_none, index) => sockets.length + index);
    sockets.push(
      ...(await Promise.all(
        indexes.map((index) => openStream(port, '/v1/streams', `Bearer ${apiKeys[index % apiKeys.length]}`)),
      )),
    );
  }
  await waitUntilQuiet(server.pid);
  const kibibytes = (((residentMebibytes(server.pid) ?? 0) - before) * 1024) / streams;
  const closed = Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  const startedAt = performance.now();
  const revoked = await fetch(`http://127.0.0.1:${port}/v1/streams/revoke`, { method: 'POST' });
  if (revoked.status !== 204) throw new Error(`The credentials could not be revoked: ${await revoked.text()}`);
  await Promise.race([closed, wait(longestWait)]);
  const milliseconds = Math.round(performance.now() - startedAt);
  for (const socket of sockets) socket.destroy();
  await server.stop();
  return { kibibytes, milliseconds };
}
