import { randomUUID } from 'node:crypto';
import { type Figure, leftOut } from '../figure.ts';
import type { Options } from '../options.ts';
import { startServer, temporaryFolder } from '../processes.ts';
import { say } from '../progress.ts';
import { type Platform, ready, startNode, startPlatform } from '../servers/platform.ts';
import { freePort } from '../servers/ports.ts';

const keysEachRound = 10;
/** The limit on every node, from the specification. */
const mostMilliseconds = 1000;
const oneProbeMilliseconds = 5000;

/**
 * Milliseconds from the response of the revocation until the last accepted request was sent; 0 when none was accepted.
 */
type Times = { here: number; elsewhere: number };

/** Measures for how long a revoked API key still works, at the node that revoked it and at another one. */
export async function measureRevocation(options: Options): Promise<Figure[]> {
  const natsUrl = process.env.TEST_NATS_URL;
  const alone = await measure(options, 'two nodes without NATS', {});
  const figures = [
    figureOf('revoked key, where it was revoked', alone, ({ here }) => here),
    figureOf('revoked key, at another node without NATS', alone, ({ elsewhere }) => elsewhere),
  ];
  const name = 'revoked key, at another node over NATS';
  if (!natsUrl) return [...figures, leftOut(name, 'set TEST_NATS_URL to the address of a NATS server')];
  const joined = {
    NATS_URL: natsUrl,
    NAMESPACE: `bench-${randomUUID().slice(0, 13)}`,
    PUBLIC_URL: 'http://localhost:3000',
    STORAGE_URL: 'http://localhost:3001',
  };
  const told = await measure(options, 'two nodes over NATS', joined);
  return [...figures, figureOf(name, told, ({ elsewhere }) => elsewhere)];
}

/** Two nodes on one database, each with all services. */
async function measure({ rounds }: Options, how: string, joined: Record<string, string>): Promise<Times[]> {
  const database = await startServer<{ url: string }>('servers/embedded-database.ts', { folder: temporaryFolder() });
  const environment = { MONGO_URL: database.address.url, SECRET_KEY: randomUUID(), ...joined };
  const first = await startPlatform(temporaryFolder(), { ...environment, NODE_ID: `first-${randomUUID()}` });
  const port = await freePort();
  const second = await startNode([], {
    ...environment,
    DATA_DIR: temporaryFolder(),
    PORT: String(port),
    NODE_ID: `second-${randomUUID()}`,
  });
  await ready([second], port);
  const times: Times[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (let key = 0; key < keysEachRound; key += 1) times.push(await revokeOne(first, port));
    say(
      `revocation, ${how}, round ${round}/${rounds}: ${Math.round(worst(times, ({ elsewhere }) => elsewhere))} ms maximum`,
    );
  }
  await Promise.all([first.stop(), second.stop()]);
  await database.stop();
  return times;
}

async function revokeOne(first: Platform, otherPort: number): Promise<Times> {
  const keys = `http://127.0.0.1:${first.port}/applications/${first.applicationId}/api-keys`;
  const headers = { Authorization: `Bearer ${first.apiKey}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ name: 'Measured', scopes: ['svc:read'] });
  const created = await fetch(keys, { method: 'POST', headers, body });
  if (created.status !== 201) throw new Error(`A key could not be created: ${await created.text()}`);
  const { id, token } = (await created.json()) as { id: string; token: string };
  for (const port of [first.port, otherPort]) {
    if ((await statusOf(port, token)) !== 200) throw new Error('A new key is rejected.');
  }
  const revoked = await fetch(`${keys}/${id}`, { method: 'DELETE', headers });
  if (revoked.status >= 300) throw new Error(`A key could not be revoked: ${await revoked.text()}`);
  const revokedAt = performance.now();
  const [here, elsewhere] = await Promise.all(
    [first.port, otherPort].map((port) => lastAccepted(port, token, revokedAt)),
  );
  return { here: here ?? 0, elsewhere: elsewhere ?? 0 };
}

async function lastAccepted(port: number, token: string, revokedAt: number): Promise<number> {
  let last = 0;
  while (performance.now() - revokedAt < oneProbeMilliseconds) {
    const sentAt = performance.now();
    const status = await statusOf(port, token);
    if (status === 401) return last;
    last = sentAt - revokedAt;
  }
  return last;
}

async function statusOf(port: number, token: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/identity/me`, { headers: { Authorization: `Bearer ${token}` } });
  await answer.text();
  return answer.status;
}

const worst = (times: Times[], of: (times: Times) => number): number => Math.max(...times.map(of));

function figureOf(name: string, times: Times[], of: (times: Times) => number): Figure {
  const maxMs = worst(times, of);
  return {
    name,
    value: `${Math.ceil(maxMs)} ms maximum (of ${times.length} keys)`,
    beside: '',
    ratio: null,
    bar: `≤ ${mostMilliseconds} ms`,
    holds: maxMs <= mostMilliseconds,
    rounds: times.map(of),
  };
}
