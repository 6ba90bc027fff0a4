import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { packSdk } from '../../../sdk/pack.ts';
import type { Client } from '../../../sdk/src/index.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { startCuttingProxy } from './cutting-proxy.ts';

type Sdk = typeof import('../../../sdk/src/index.ts');
type Tenant = Awaited<ReturnType<typeof newTenantClient>>;

const root = join(import.meta.dirname, '..', '..', '..');
/** A project outside of the repository, which has installed the package. */
const project = mkdtempSync(join(tmpdir(), 'platform-sdk-user-'));
let sdk: Sdk;
let distribution: string;
let own: Tenant;
let client: Client;

const clientAt = (url: string): Client => sdk.createClient({ url, token: own.apiKey, tenantId: own.orgId });

beforeAll(async () => {
  const archive = packSdk(project);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const install = ['install', '--offline', '--no-audit', '--no-fund', '--no-save', archive];
  execFileSync('npm', install, { cwd: project, stdio: ['ignore', 'ignore', 'inherit'] });
  const entry = createRequire(join(project, 'package.json')).resolve('platform-sdk');
  distribution = dirname(entry);
  sdk = (await import(entry)) as Sdk;
  own = await newTenantClient();
  client = clientAt(own.url);
});

afterAll(() => rmSync(project, { recursive: true }));

async function slugs(): Promise<string[]> {
  const found: string[] = [];
  for await (const { slug } of client.list('/applications', { query: { limit: 2 } })) found.push(slug);
  return found;
}

let count = 0;
const newSlug = () => `sdk-${own.orgId.slice(4)}-${++count}`.slice(0, 63);

describe('the packed client', () => {
  test('has JavaScript, declarations, a README and the license, and is small', () => {
    const folder = dirname(distribution);
    expect(readdirSync(folder).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ name: 'platform-sdk', version, type: 'module', license: 'Apache-2.0' });
    expect(manifest).not.toHaveProperty('dependencies');
    expect(manifest).not.toHaveProperty('devDependencies');
    const scripts = readdirSync(distribution).filter((name) => name.endsWith('.js'));
    expect(scripts).toContain('index.js');
    const text = scripts.map((name) => readFileSync(join(distribution, name), 'utf8')).join('');
    expect(gzipSync(text).length).toBeLessThanOrEqual(10 * 1024);
  });

  test('accepts the calls of the API in TypeScript, and refuses others', () => {
    cpSync(join(import.meta.dirname, 'typed-calls.ts'), join(project, 'typed-calls.ts'));
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2023,dom'];
    const compile = () =>
      execFileSync(process.execPath, [compiler, ...options, '--types', '', 'typed-calls.ts'], {
        cwd: project,
        encoding: 'utf8',
      });
    expect(compile()).toBe('');
  });

  test('reads the pages of a list one after the other', async () => {
    const made = Array.from({ length: 4 }, newSlug);
    for (const slug of made) await client.post('/applications', { body: { name: 'Shop', slug } });
    const found = await slugs();
    expect(found).toEqual(expect.arrayContaining(made));
    expect(new Set(found).size).toBe(found.length);
  });

  test('makes one application when the answer to the first request is lost', async () => {
    const proxy = await startCuttingProxy(own.url, 1);
    const slug = newSlug();
    const made = await clientAt(proxy.url).post('/applications', { body: { name: 'Shop', slug } });
    expect(proxy.connections()).toBe(2);
    expect(await client.get('/applications/{slug}', { path: { slug } })).toEqual(made);
    await proxy.close();
  });

  test('does not repeat a call that may have taken effect', async () => {
    const slug = newSlug();
    await client.post('/applications', { body: { name: 'Shop', slug } });
    const proxy = await startCuttingProxy(own.url, 1);
    const change = clientAt(proxy.url).patch('/applications/{slug}', { path: { slug }, body: { name: 'Bikes' } });
    await expect(change).rejects.toMatchObject({ name: 'PlatformError', code: 'CONNECTION_FAILED', status: 0 });
    expect(proxy.connections()).toBe(1);
    await proxy.close();
  });

  test('throws errors with the fields that are wrong', async () => {
    const error = await client.post('/applications', { body: { name: '', slug: 'Not a slug' } }).catch((one) => one);
    expect(error).toBeInstanceOf(sdk.PlatformError);
    expect(error).toMatchObject({
      status: 400,
      code: 'INPUT_INVALID',
      requestId: expect.stringMatching(/^req_/),
      details: expect.arrayContaining([{ path: 'body.slug', message: expect.any(String) }]),
    });
    const missing = client.get('/applications/{slug}', { path: { slug: newSlug() } });
    await expect(missing).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND', details: [] });
  });

  test('uploads a file and reports its progress', async () => {
    const bytes = Uint8Array.from({ length: 300_000 }, (_byte, index) => index % 251);
    const sent: number[] = [];
    const object = await client.upload({
      file: new Blob([bytes]),
      key: 'reports/käse 100%.bin',
      onProgress: ({ sentBytes, totalBytes }) => sent.push(sentBytes / totalBytes),
    });
    expect(object).toMatchObject({ key: 'reports/käse 100%.bin', size: bytes.length });
    expect(sent).toEqual([...sent].sort((one, other) => one - other));
    expect(sent.length).toBeGreaterThan(3);
    expect([sent[0], sent.at(-1)]).toEqual([0, 1]);
    const { bucket, key } = object;
    const response = await client.get('/v1/objects/{bucket}/{key}', { path: { bucket, key } });
    expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.from(bytes))).toBe(true);
    const plain = await client.upload({ file: new Blob(['hello'], { type: 'text/plain' }), key: 'hello.txt' });
    expect(plain).toMatchObject({ mimeType: 'text/plain', size: 5 });
  });

  test('hears of changes, also of the ones while its connection was lost', async () => {
    const { siteId } = await client.post('/v1/connect/sites', { body: { name: 'Shop' } });
    const enable = (enabled: boolean) =>
      client.patch('/v1/connect/sites/{siteId}', { path: { siteId }, body: { enabled } });
    const proxy = await startTcpProxy(own.url);
    const ended = new AbortController();
    const events = clientAt(`http://127.0.0.1:${proxy.port}`).stream('/v1/connect/stream', { signal: ended.signal });
    expect((await events.next()).value).toMatchObject({ event: 'open' });
    await enable(false);
    expect((await events.next()).value).toMatchObject({ event: 'site', data: { siteId, enabled: false } });
    await proxy.cut();
    await enable(true);
    await proxy.mend();
    const missed: unknown[] = [];
    for (let next = await events.next(); next.value?.event !== 'open'; next = await events.next()) {
      missed.push(next.value?.event === 'reset' ? 'reset' : next.value?.data);
    }
    // A listener that has run for less than half a minute does not know whether it has all events.
    expect(missed).toContainEqual(missed.includes('reset') ? 'reset' : { siteId, enabled: true });
    const last = events.next();
    ended.abort();
    expect(await last).toEqual({ done: true, value: undefined });
    await proxy.close();
  });

  test('throws when a stream is refused', async () => {
    const stranger = sdk.createClient({ url: own.url, token: 'svc_live_unknown', tenantId: own.orgId });
    await expect(stranger.stream('/v1/connect/stream').next()).rejects.toMatchObject({ code: 'CREDENTIAL_INVALID' });
  });
});
