import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { boundedFigure, type Figure, leftOut } from '../figure.ts';
import { openStream } from '../load/event-stream.ts';
import type { Options } from '../options.ts';
import { residentMebibytes, temporaryFolder } from '../processes.ts';
import { say } from '../progress.ts';
import { type Platform, startPlatform } from '../servers/platform.ts';

const idleVisitors = 2000;
const openedAtOnce = 50;
const maxMebibytes = 120;
const messagesPerSecond = 10;
const messages = 200;
const maxMilliseconds = 300;
const settleSeconds = 5;
const longestWait = 10_000;
const origin = 'https://shop.example.com';

/** MiB. `open`: of the streams alone; `begun`: including the heap growth of the requests that began the sessions. */
type Round = { open: number; begun: number; p99: number };
type Session = { visitorToken: string };
type Post = (path: string, body: object, headers: Record<string, string>) => Promise<Response>;

/** Measures the memory of idle visitors with open streams, and the message latency to an agent under that load. */
export async function measureConnect({ rounds }: Options): Promise<Figure[]> {
  if (residentMebibytes(process.pid) === null) return [leftOut('idle visitors', 'this system has no /proc')];
  const measured: Round[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const one = await measureOnce();
    measured.push(one);
    const { open, begun, p99 } = one;
    say(`connect, round ${round}/${rounds}: ${open.toFixed(0)} and ${begun.toFixed(0)} MiB, p99 ${p99.toFixed(0)} ms`);
  }
  return [
    boundedFigure(`open streams of ${idleVisitors} idle visitors`, measured, ({ open }) => open, 'MiB', maxMebibytes),
    boundedFigure('with the requests that began their sessions', measured, ({ begun }) => begun, 'MiB', maxMebibytes),
    boundedFigure('message to agent during that, p99', measured, ({ p99 }) => p99, 'ms', maxMilliseconds),
  ];
}

async function measureOnce(): Promise<Round> {
  const platform = await startPlatform(temporaryFolder());
  const { url, post, port, headers } = clientOf(platform);
  const settings = { method: 'PUT', headers, body: JSON.stringify({ allowedOrigins: [origin] }) };
  await expectOk(await fetch(`${url}/v1/connect/settings`, settings));
  const begin = async () => {
    const answer = await post('/v1/widget/sessions', { tenantId: platform.orgId }, { origin });
    return (await expectOk<Session>(answer)).visitorToken;
  };
  // Modules and code that the first session and stream load stay in memory, so they are loaded before the measurement.
  const first = await openStream(port, '/v1/widget/stream', `Bearer ${await begin()}`);
  const settledMemory = async () => {
    await wait(settleSeconds * 1000);
    return residentMebibytes(platform.pid) ?? 0;
  };
  const atFirst = await settledMemory();
  const tokens = await inParts(begin);
  const withSessions = await settledMemory();
  const sockets = await inParts((at) => openStream(port, '/v1/widget/stream', `Bearer ${tokens[at]}`));
  const withStreams = await settledMemory();
  const p99 = await measureMessages(platform, await begin());
  for (const socket of [first, ...sockets]) socket.destroy();
  await platform.stop();
  return { open: withStreams - withSessions, begun: withStreams - atFirst, p99 };
}

/** Does something for each idle visitor, in concurrent batches. */
async function inParts<T>(work: (at: number) => Promise<T>): Promise<T[]> {
  const all: T[] = [];
  while (all.length < idleVisitors) {
    const indexes = Array.from({ length: openedAtOnce }, (_none, index) => all.length + index);
    all.push(...(await Promise.all(indexes.map(work))));
  }
  return all;
}

/** The 99th percentile of the milliseconds from sending a message until an agent, notified of it, has read it. */
async function measureMessages(platform: Platform, visitorToken: string): Promise<number> {
  const { post, port, url, headers } = clientOf(platform);
  const agents = await openStream(port, '/v1/connect/stream', `Bearer ${platform.apiKey}`, platform.orgId);
  const sentAt = new Map<number, number>();
  const times: number[] = [];
  const readings: Promise<void>[] = [];
  const read = async ({ conversationId, seq }: { conversationId: string; seq: number }): Promise<void> => {
    const path = `/v1/conversations/${conversationId}/messages?after=${seq - 1}`;
    await expectOk(await fetch(`${url}${path}`, { headers }));
    times.push(performance.now() - (sentAt.get(seq) ?? Number.NaN));
  };
  let text = '';
  agents.on('data', (chunk: Buffer) => {
    const events = (text + chunk.toString()).split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const hint = /event: message\ndata: (.*)/.exec(event)?.[1];
      if (hint !== undefined) readings.push(read(JSON.parse(hint)));
    }
  });
  for (let seq = 1; seq <= messages; seq += 1) {
    sentAt.set(seq, performance.now());
    const sent = post(
      '/v1/widget/messages',
      { text: `Message ${seq}`, echoId: randomUUID() },
      { authorization: `Bearer ${visitorToken}` },
    );
    await Promise.all([sent.then(expectOk), wait(1000 / messagesPerSecond)]);
  }
  const deadline = performance.now() + longestWait;
  while (readings.length < messages && performance.now() < deadline) await wait(10);
  await Promise.all(readings);
  agents.destroy();
  if (times.length < messages) throw new Error(`Only ${times.length} of ${messages} messages were read.`);
  return times.toSorted((left, right) => left - right)[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN;
}

function clientOf({ port, apiKey, orgId }: Platform) {
  const url = `http://127.0.0.1:${port}`;
  const json = { 'content-type': 'application/json' };
  const post: Post = (path, body, headers) =>
    fetch(`${url}${path}`, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) });
  const headers = { ...json, authorization: `Bearer ${apiKey}`, 'x-tenant-id': orgId };
  return { url, post, port, headers };
}

async function expectOk<T>(response: Response): Promise<T> {
  if (!response.ok) throw new Error(`A request was answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}
