import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { quarters } from '../../integration/storage/images/test-images.ts';
import { type Client, clientOf } from '../../support/client.ts';
import { storageUrlOf } from '../../support/storage-client.ts';
import { createTenant, type Tenant } from '../../support/tenants.ts';
import { testBytes } from '../../support/test-bytes.ts';

/** Where the clients are served. */
type Place = { url: string; databaseUrl: string };

const run = promisify(execFile);

/** The first Python that has `requests`. */
function python(): string {
  const found = ['python3', '/usr/bin/python3'].find((name) => spawnSync(name, ['-c', 'import requests']).status === 0);
  if (!found) throw new Error('Install requests for Python: these tests need it.');
  return found;
}

/** The tests of programs that are not ours, for any driver of the object store. */
export function servesOutsideClients(placeOf: () => Promise<Place>): void {
  let [tenant, client]: [Tenant, Client] = [null as never, null as never];
  let [storage, folder, picture] = ['', '', ''];

  beforeAll(async () => {
    const { url, databaseUrl } = await placeOf();
    tenant = await createTenant(databaseUrl, { plan: 'scale' });
    client = clientOf({ url, ...tenant });
    storage = await storageUrlOf(url);
    folder = mkdtempSync(join(tmpdir(), 'clients-'));
    picture = join(folder, 'räder 1.png');
    writeFileSync(picture, await (await quarters(80, 40)).png().toBuffer());
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const sign = (key: string) =>
    client.call('storage.presign.upload', {
      body: { bucket: tenant.orgId, key, mimeType: 'application/octet-stream', size: 1024 * 1024 },
    });

  /** What curl prints, and after it the status of the answer. */
  const curl = async (...args: string[]): Promise<string> => {
    const quiet = ['--silent', '--show-error', '--max-time', '60', '--write-out', ' %{http_code}'];
    return (await run('curl', [...quiet, ...args], { cwd: folder })).stdout;
  };
  const own = () => ['-H', `Authorization: Bearer ${tenant.apiKey}`, '-H', `x-tenant-id: ${tenant.orgId}`];
  const binary = ['-H', 'Content-Type: application/octet-stream'];

  test('curl uploads a form, and downloads it as it was and in another size', async () => {
    const form = ['-F', `file=@${picture};filename=räder 1.png`, '-F', 'key=räder/1 +.png'];
    const [, json, status] = /^(.*) (\d+)$/s.exec(await curl(...own(), ...form, `${storage}/v1/upload`))!;
    expect(status).toBe('200');
    const { url, mimeType } = JSON.parse(json!);
    expect(mimeType).toBe('image/png');
    expect(await curl('-o', 'same.png', url)).toBe(' 200');
    expect(readFileSync(join(folder, 'same.png')).equals(readFileSync(picture))).toBe(true);
    expect(await curl('-o', 'small.webp', `${url}?w=40&f=webp`)).toBe(' 200');
    expect(readFileSync(join(folder, 'small.webp')).subarray(8, 12).toString()).toBe('WEBP');
  });

  test('curl sends a file of known and of unknown length, and continues a download', async () => {
    const bytes = testBytes(1, 1024 * 1024);
    writeFileSync(join(folder, 'sent.bin'), bytes);
    const at = (key: string) => `${storage}/v1/objects/${tenant.orgId}/${key}`;
    expect(await curl(...own(), ...binary, '-T', 'sent.bin', '-o', '/dev/null', at('known.bin'))).toBe(' 200');
    const chunked = ['-H', 'Transfer-Encoding: chunked', '-T', 'sent.bin', '-o', '/dev/null'];
    expect(await curl(...own(), ...binary, ...chunked, at('unknown.bin'))).toBe(' 200');
    for (const key of ['known.bin', 'unknown.bin']) {
      writeFileSync(join(folder, key), bytes.subarray(0, 300_000));
      expect(await curl(...own(), '-C', '-', '-o', key, at(key))).toBe(' 206');
      expect(readFileSync(join(folder, key)).equals(bytes)).toBe(true);
    }
    const unchanged = ['--etag-save', 'etag', '-o', '/dev/null', at('known.bin')];
    expect(await curl(...own(), ...unchanged)).toBe(' 200');
    expect(await curl(...own(), '--etag-compare', 'etag', '-o', '/dev/null', at('known.bin'))).toBe(' 304');
  });

  test('curl uses a signed address once', async () => {
    const { uploadUrl, headers } = await sign('by-curl.bin');
    writeFileSync(join(folder, 'signed.bin'), testBytes(2, 1024 * 1024));
    const named = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
    const put = () => curl(...named, '-T', 'signed.bin', '-o', '/dev/null', uploadUrl);
    expect([await put(), await put()]).toEqual([' 200', ' 409']);
  });

  test('requests uploads, signs, streams, asks for ranges, and is refused as it should be', async () => {
    const signed = await sign('by-requests.bin');
    const given = { storage, bucket: tenant.orgId, apiKey: tenant.apiKey, picture, signed };
    const script = join(import.meta.dirname, 'transfer.py');
    const { stdout } = await run(python(), [script, JSON.stringify(given)]);
    expect(JSON.parse(stdout)).toEqual({
      form: [200, 'image/png', 'räder/1 +.png'],
      picture: true,
      chunked: [200, 1024 * 1024],
      signed: [200, 409],
      streamed: true,
      range: [206, true],
      unchanged: 304,
      head: String(1024 * 1024),
      refused: [400, 400, 401],
      removed: 204,
      gone: 404,
    });
  });
}
