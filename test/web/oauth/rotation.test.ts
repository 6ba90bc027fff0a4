import { execFile } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { send } from '../../support/http.ts';
import { newOAuthClient, type OAuthClient, post, statusOf } from '../../support/oauth.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { withDatabase } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';

const root = join(import.meta.dirname, '..', '..', '..');
let platform: Platform;
let client: OAuthClient;
beforeAll(async () => {
  platform = await startPlatform();
  client = await newOAuthClient({ platform });
});
afterAll(() => platform.stop());

type Outcome = { code: number; output: string; errors: string };

function rotate(commandLine: string[], env: Record<string, string> = { DATA_DIR: platform.dataDir }): Promise<Outcome> {
  const node = join(root, 'node_modules', '.bin', 'node');
  const options = { cwd: root, env: { PATH: process.env.PATH, ...env } };
  return new Promise((resolve) => {
    execFile(node, ['runtime/rotate-keys.ts', ...commandLine], options, (error, output, errors) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output, errors });
    });
  });
}

const newToken = async () => {
  const { status, body } = await post(client, 'token', { grant_type: 'client_credentials' });
  expect(status).toBe(200);
  return body.access_token;
};
const kidOf = (token: string) => decodeProtectedHeader(token).kid;
const publishedKids = async () => {
  const path = '/oauth2/.well-known/jwks.json';
  const { keys } = JSON.parse((await send(client.url, { path })).text) as { keys: Record<string, string>[] };
  for (const key of keys) expect(Object.keys(key).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  return keys.map(({ kid }) => kid);
};

describe('npm run rotate-keys', () => {
  test('changes the key that signs without a request that fails', async () => {
    const keySet = createRemoteJWKSet(new URL(`${client.url}/oauth2/.well-known/jwks.json`), { cooldownDuration: 0 });
    const expected = { issuer: `${client.url}/oauth2`, audience: client.url, typ: 'at+jwt' };
    const former = await newToken();
    await jwtVerify(former, keySet, expected);
    let rotated = '';
    let requests = 0;
    const work = async () => {
      while (rotated === '' || requests < 20) {
        const token = await newToken();
        await jwtVerify(token, keySet, expected);
        expect(await statusOf(client, token)).toBe(200);
        if (kidOf(token) !== kidOf(former)) rotated = token;
        if (rotated) requests += 1;
      }
    };
    const working = [work(), work()];
    expect(await rotate(['--lead-seconds', '2'])).toMatchObject({ code: 0, errors: '' });
    await until(async () => (await publishedKids()).length === 2);
    await Promise.all(working);
    expect(await statusOf(client, former)).toBe(200);
    await jwtVerify(former, keySet, expected);
  });

  test('is followed by jwks-rsa, which asks for keys by their id', async () => {
    // It requires jose, which Jest lets nobody do while this file is being loaded.
    const { default: jwksRsa } = await import('jwks-rsa');
    const keys = jwksRsa({ jwksUri: `${client.url}/oauth2/.well-known/jwks.json`, cache: true });
    const check = async (token: string) => {
      const key = createPublicKey((await keys.getSigningKey(kidOf(token)!)).getPublicKey());
      return jwtVerify(token, key, { issuer: `${client.url}/oauth2` });
    };
    const former = await newToken();
    await check(former);
    expect(await rotate(['--lead-seconds', '0'])).toMatchObject({ code: 0 });
    await until(async () => kidOf(await newToken()) !== kidOf(former));
    await check(await newToken());
    await check(former);
  });

  test('publishes the new key before it signs', async () => {
    const signing = kidOf(await newToken());
    const before = await publishedKids();
    expect(await rotate([])).toMatchObject({ code: 0 });
    await until(async () => (await publishedKids()).length === before.length + 1);
    expect(kidOf(await newToken())).toBe(signing);
  });

  test('is recorded', async () => {
    const records = await withDatabase(client.databaseUrl, (database) =>
      database.collection('identity_audit_records').find({ action: 'signing-key.rotated' }).toArray(),
    );
    expect(records.length).toBeGreaterThanOrEqual(1);
    expect(records[0]).toMatchObject({ orgId: 'platform', actor: { type: 'system' }, target: { type: 'signing-key' } });
    expect(JSON.stringify(records)).not.toContain('sealed');
  });

  test.each<[string, string[], Record<string, string>, string]>([
    ['a lead that is no number', ['--lead-seconds', 'soon'], {}, 'is a whole number'],
    ['an unknown argument', ['--now'], {}, 'Usage: npm run rotate-keys'],
    ['a folder that no platform runs on', [], { DATA_DIR: '/nonexistent' }, 'No platform runs on'],
    ['another SECRET_KEY', [], { SECRET_KEY: 'x'.repeat(40) }, 'SECRET_KEY is not the one'],
  ])('refuses %s in a sentence', async (_what, commandLine, env, sentence) => {
    const outcome = await rotate(commandLine, { DATA_DIR: platform.dataDir, ...env });
    expect(outcome).toMatchObject({ code: 1, errors: expect.stringContaining(sentence) });
    expect(outcome.errors).not.toContain('    at ');
  });

  test('leaves a key published until its last token has expired', async () => {
    const kids = await publishedKids();
    await withDatabase(client.databaseUrl, async (database) => {
      const keys = database.collection('identity_signing_keys');
      const long = new Date(Date.now() - (3600 + 301) * 1000);
      await keys.updateMany({ sequence: 2 }, { $set: { signsFrom: long } });
    });
    await until(async () => (await publishedKids()).length === kids.length - 1);
  });

  test('keeps private keys encrypted', async () => {
    const keys = await withDatabase(client.databaseUrl, (database) =>
      database.collection('identity_signing_keys').find({}).toArray(),
    );
    expect(keys).not.toEqual([]);
    for (const { sealed, publicKey } of keys) {
      expect(sealed).toMatch(/^[A-Za-z0-9+/=]+$/);
      expect(publicKey).not.toHaveProperty('d');
    }
  });
});
