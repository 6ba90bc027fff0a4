import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { compileSdk } from '../../sdk/pack.ts';
import { denoBinary } from '../support/platform-process.ts';

const program = `
  import { createClient } from './index.js';
  const client = createClient(JSON.parse(Deno.args[0]));
  const { type } = await client.get('/identity/me');
  const sent = [];
  const { size } = await client.upload({
    file: new Blob([new Uint8Array(300_000)]),
    key: 'deno.bin',
    onProgress: ({ sentBytes }) => sent.push(sentBytes),
  });
  const leaving = new AbortController();
  const events = [];
  for await (const { event } of client.stream('/v1/connect/stream', { signal: leaving.signal })) {
    events.push(event);
    leaving.abort();
  }
  console.log(JSON.stringify({ type, size, first: sent[0], last: sent.at(-1), events }));`;

test('a program on Deno uses the typed client', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'platform-sdk-'));
  compileSdk(folder);
  writeFileSync(join(folder, 'program.js'), program);
  const { ACCEPTANCE_URL: url, ACCEPTANCE_API_KEY: token, ACCEPTANCE_ORG_ID: tenantId } = process.env;
  const args = [
    'run',
    '--no-config',
    '--allow-net',
    join(folder, 'program.js'),
    JSON.stringify({ url, token, tenantId }),
  ];
  const { stdout } = await promisify(execFile)(denoBinary(), args);
  expect(JSON.parse(stdout)).toEqual({ type: 'application', size: 300_000, first: 0, last: 300_000, events: ['open'] });
  rmSync(folder, { recursive: true });
});
