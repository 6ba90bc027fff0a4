import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { AuditRecordDocument } from '../../../models/identity/audit-record.ts';
import { connectConsole } from '../../../runtime/operator/socket.ts';
import type { Client } from '../../support/client.ts';
import { newOperatorClientOf } from '../../support/operators.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { databaseUrlOf, withDatabase } from '../../support/tenants.ts';
import type { User } from '../../support/user-client.ts';
import { insertUser, sessionClientOf } from '../../support/users.ts';

/* Who may create an account, which counts for the whole platform: here one of the file's own. */

let platform: Platform;
let databaseUrl: string;
let operator: Client & User;

beforeAll(async () => {
  platform = await startPlatform();
  databaseUrl = await databaseUrlOf(platform);
  operator = await newOperatorClientOf(platform);
});
afterAll(() => platform.stop());
beforeEach(() => write({ mode: 'open', domains: [] }));

const read = () => operator.call('identity.operator.registration.read', {});
const write = (body: object) => operator.attempt('identity.operator.registration.update', { body });
const records = () =>
  withDatabase(databaseUrl, (database) =>
    database
      .collection<AuditRecordDocument>('identity_audit_records')
      .find({ orgId: 'platform', action: 'registration.updated' }, { sort: { _id: -1 } })
      .toArray(),
  );

describe('PUT /operator/registration', () => {
  test.each([
    [{ mode: 'invitation' }, { mode: 'invitation', domains: [] }],
    [
      { mode: 'domains', domains: [' Acme.Example', 'acme.example.', 'bücher.example'] },
      { mode: 'domains', domains: ['acme.example', 'xn--bcher-kva.example'] },
    ],
    [
      { mode: 'open', domains: ['acme.example'] },
      { mode: 'open', domains: ['acme.example'] },
    ],
  ])('stores %j', async (body, policy) => {
    expect(await write(body)).toMatchObject({ status: 200, body: policy });
    expect(await read()).toEqual(policy);
  });

  test('is recorded in the log of the platform, with the operator', async () => {
    await write({ mode: 'invitation' });
    expect((await records())[0]).toMatchObject({
      actor: { type: 'operator', id: operator.userId, credentialId: operator.sessionId },
      target: { type: 'platform', id: 'registration' },
      before: { mode: 'open', domains: [] },
      after: { mode: 'invitation', domains: [] },
    });
  });

  test.each([
    [{}, 'body.mode'],
    [{ mode: 'closed' }, 'body.mode'],
    [{ mode: 'domains' }, 'body.domains'],
    [{ mode: 'domains', domains: [] }, 'body.domains'],
    [{ mode: 'domains', domains: 'acme.example' }, 'body.domains'],
    [{ mode: 'domains', domains: ['acme.example', 'no domain'] }, 'body.domains.1'],
    [{ mode: 'domains', domains: ['ada@acme.example'] }, 'body.domains.0'],
    [{ mode: 'domains', domains: ['*.acme.example'] }, 'body.domains.0'],
    [{ mode: 'open', domains: [''] }, 'body.domains.0'],
    [{ mode: 'open', others: true }, 'body.others'],
  ])('refuses %j by field, and changes nothing', async (body, path) => {
    const before = (await records()).length;
    expect(await write(body)).toMatchObject({
      status: 400,
      body: { error: 'INPUT_INVALID', details: [expect.objectContaining({ path })] },
    });
    expect(await read()).toEqual({ mode: 'open', domains: [] });
    expect(await records()).toHaveLength(before);
  });

  test('takes at most 100 domains', async () => {
    const domains = Array.from({ length: 101 }, (_, index) => `d${index}.example`);
    expect(await write({ mode: 'domains', domains })).toMatchObject({ status: 400 });
    const most = domains.slice(1);
    expect(await write({ mode: 'domains', domains: most })).toMatchObject({ status: 200, body: { domains: most } });
  });

  test('is for operators alone', async () => {
    const user = await insertUser(databaseUrl);
    const client = sessionClientOf(platform.url, user.sessionToken);
    const path = '/operator/registration';
    expect((await client.send('GET', path)).status).toBe(403);
    expect((await client.send('PUT', path, { mode: 'invitation' })).status).toBe(403);
    expect((await client.send('PUT', path, { mode: 'invitation' }, { cookie: null })).status).toBe(401);
    expect(await read()).toEqual({ mode: 'open', domains: [] });
  });
});

describe('identity:registration', () => {
  async function type(line: string): Promise<string> {
    const execute = await connectConsole(platform.dataDir);
    return JSON.stringify(await execute!({ line, as: null, isConfirmed: false }));
  }

  test('shows and changes who may create an account', async () => {
    expect(await type('identity:registration')).toContain('Everyone may create an account.');
    expect(await type('identity:registration domains acme.example,bücher.example --yes')).toContain(
      'xn--bcher-kva.example',
    );
    expect(await read()).toEqual({ mode: 'domains', domains: ['acme.example', 'xn--bcher-kva.example'] });
    expect(await type('identity:registration invitation --yes')).toContain('Only invited people');
    expect((await records())[0]).toMatchObject({ actor: { type: 'system' }, after: { mode: 'invitation' } });
  });

  test.each([
    ['closed', 'mode'],
    ['domains', 'Must have at least one domain.'],
    ['domains no_domain', 'Must be a domain'],
  ])('refuses %s', async (typed, words) => {
    expect(await type(`identity:registration ${typed} --yes`)).toContain(words);
    expect(await read()).toEqual({ mode: 'open', domains: [] });
  });
});
