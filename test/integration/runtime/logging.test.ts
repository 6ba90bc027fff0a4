import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Client, clientOf } from '../../support/client.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { until } from '../../support/until.ts';

const root = join(import.meta.dirname, '..', '..', '..');

const writers: ChildProcess[] = [];
afterAll(() => {
  for (const writer of writers) writer.kill('SIGKILL');
});

/** Starts a process that logs, and waits until it has, while nobody reads what it logs. */
async function startWriter(lines: number, end: 'exit' | 'throw' | 'stay') {
  const writer = spawn(process.execPath, ['test/integration/runtime/log-writer.ts', String(lines), end], { cwd: root });
  writers.push(writer);
  await once(writer.stderr, 'data');
  return writer;
}

const parse = (output: string) =>
  output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('what is logged while nobody reads it', () => {
  test.each(['exit', 'throw'] as const)('is whole and in order after an end by %s', async (end) => {
    const writer = await startWriter(2_000, end);
    const lines = parse(await text(writer.stdout));
    expect(lines.map(({ line }) => line)).toEqual(Array.from({ length: 2_000 }, (_, line) => line));
  });

  test('keeps nobody waiting, and beyond 16 MiB is dropped and counted', async () => {
    const writer = await startWriter(40_000, 'stay');
    writer.stdin.write('?');
    await once(writer.stderr, 'data');
    const chunks: Buffer[] = [];
    await new Promise<void>((resolve) => {
      writer.stdout.on('data', (chunk) => {
        chunks.push(chunk);
        if (chunk.includes('"droppedLines":')) resolve();
      });
    });
    writer.stdin.end();
    await once(writer, 'close');
    const lines = parse(Buffer.concat(chunks).toString('utf8'));
    const { level, droppedLines } = lines.pop();
    expect(level).toBe('warn');
    expect(lines.length).toBeGreaterThan(30_000);
    expect(lines.length + droppedLines).toBe(40_000);
  });

  test('ends no process when its reader is gone', async () => {
    const writer = await startWriter(0, 'stay');
    writer.stdout.destroy();
    const other = await startWriter(2_000, 'stay');
    other.stdout.destroy();
    for (const { stdin, stderr } of [writer, other]) {
      stdin.write('?');
      await once(stderr, 'data');
    }
    const ends = [writer, other].map((process) => once(process, 'close'));
    for (const { stdin } of [writer, other]) stdin.end();
    expect((await Promise.all(ends)).map(([code]) => code)).toEqual([0, 0]);
  });
});

describe('the access log', () => {
  let platform: Platform;
  let client: Client;

  beforeAll(async () => {
    platform = await startPlatform({ env: { ACCESS_LOG_EVERY: '5' } });
    client = clientOf({ url: platform.url, ...platform.firstRun });
  });
  afterAll(() => platform.stop());

  /** The lines of the requests that carry this id. */
  const linesOf = (requestId: string) =>
    platform.log().filter((line) => line.message === 'request' && line.requestId === requestId);

  test('has one of five successes, says so, and has every refusal', async () => {
    for (let time = 0; time < 20; time += 1) {
      await client.send('GET', '/identity/me', undefined, { 'X-Request-Id': 'good' });
      await client.send('GET', '/nowhere', undefined, { 'X-Request-Id': 'refused' });
    }
    await until(() => linesOf('refused').length === 20);
    expect(linesOf('good').map(({ logEvery }) => logEvery)).toEqual([5, 5, 5, 5]);
    expect(linesOf('refused').some((line) => 'logEvery' in line)).toBe(false);
  });

  test('shows no token of an invitation, also where its path is mistyped', async () => {
    const token = 'Abc-123_xyz'.repeat(4).slice(0, 43);
    for (const end of ['accept', 'accepted', '']) {
      const path = `/organizations/invitations/${token}/${end}`;
      await client.send('POST', path, '{}', { 'X-Request-Id': 'invitation' });
    }
    await until(() => linesOf('invitation').length === 3);
    expect(linesOf('invitation').map(({ path }) => path)).toEqual([
      '/organizations/invitations/***/accept',
      '/organizations/invitations/***/accepted',
      '/organizations/invitations/***/',
    ]);
    expect(platform.output()).not.toContain(token);
  });
});
