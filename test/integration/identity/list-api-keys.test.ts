import { beforeAll, describe, expect, test } from '@jest/globals';
import { encodeCursor } from '../../../lib/contract/input.ts';
import { newApiKeyToken } from '../../../lib/security/api-key.ts';
import { type Client, clientOf, type Headers } from '../../support/client.ts';
import { changeApiKey, createTenant } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';
import { addApplication, makeSetting, type Setting, storedKeys, withKey } from './setting.ts';

let setting: Setting;
let path: string;
beforeAll(async () => {
  setting = await makeSetting();
  path = `/applications/${setting.tenant.applicationId}/api-keys`;
});

type ApiKey = { id: string; name: string; token: string; lastUsedAt: string | null };
type Page = { data: ApiKey[]; nextCursor: string | null };

function list(query = '', headers?: Headers, client: Client = setting.client) {
  return client.send<Page & { error: string; details?: object[] }>('GET', `${path}${query}`, undefined, headers);
}

async function create(name: string, given: object = {}): Promise<ApiKey> {
  const answer = await setting.client.send<ApiKey>('POST', path, { name, scopes: ['svc:read'], ...given });
  expect(answer.status).toBe(201);
  return answer.body;
}

/** Every page of the list, one after another. */
async function readAll(limit: number, between: () => Promise<unknown> = () => Promise.resolve()): Promise<Page[]> {
  const pages: Page[] = [];
  let query = `?limit=${limit}`;
  for (;;) {
    const { status, body } = await list(query);
    expect(status).toBe(200);
    pages.push(body);
    if (body.nextCursor === null) return pages;
    query = `?limit=${limit}&cursor=${body.nextCursor}`;
    await between();
  }
}

describe('GET /applications/:id/api-keys', () => {
  test("shows the application's keys, the newest first, and of no key its token or hash", async () => {
    const { token: first, ...one } = await create('one');
    const { token: second, ...two } = await create('two', { expiresAt: '2040-01-31T12:00:00.000Z' });
    const { status, body, text } = await list();
    expect(status).toBe(200);
    expect(body.data.slice(0, 2)).toEqual([two, one]);
    expect(body.data.at(-1)).toMatchObject({ id: setting.tenant.keyId, name: 'Key of a test' });
    expect(text).not.toMatch(/svc_live_|token|hash|revoked/i);
    expect([first, second].filter((token) => text.includes(token.slice(9, 20)))).toEqual([]);
  });

  test('shows when a key was last used', async () => {
    const used = await create('used');
    expect(used.lastUsedAt).toBeNull();
    const before = Date.now();
    await withKey(setting.client, used.token).send('GET', '/identity/me');
    const read = async () => (await list('?limit=1')).body.data[0]!;
    await until(async () => (await read()).lastUsedAt !== null);
    const { id, lastUsedAt } = await read();
    expect(id).toBe(used.id);
    expect(Date.parse(lastUsedAt!)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(lastUsedAt!)).toBeLessThanOrEqual(Date.now());
  });

  test('shows expired keys and leaves out revoked ones', async () => {
    const expired = await create('expired');
    await changeApiKey(setting.databaseUrl, expired.id, { expiresAt: new Date(Date.now() - 1) });
    const revoked = await create('revoked');
    await setting.client.send('DELETE', `${path}/${revoked.id}`);
    const ids = (await readAll(100)).flatMap(({ data }) => data.map(({ id }) => id));
    expect(ids).toContain(expired.id);
    expect(ids).not.toContain(revoked.id);
  });

  test('may be read by whoever has console.apps.read, and only its own application is shown', async () => {
    const { token } = await create('reader', { scopes: ['console.apps.read'] });
    expect(await list('', {}, withKey(setting.client, token))).toMatchObject({ status: 200 });
    const other = await createTenant(setting.databaseUrl);
    const { body } = await clientOf({ url: setting.url, ...other }).send<Page>(
      'GET',
      `/applications/${other.applicationId}/api-keys`,
    );
    expect(body.data.map(({ id }) => id)).toEqual([other.keyId]);
  });

  test('leaves out the keys of another application of the same organization', async () => {
    const sibling = await addApplication(setting, setting.tenant);
    const listOfSibling = () => setting.client.send<Page>('GET', `/applications/${sibling}/api-keys`);
    expect((await listOfSibling()).body).toEqual({ data: [], nextCursor: null });
    const body = { name: "the sibling's", scopes: ['svc:read'] };
    const { body: own } = await setting.client.send<ApiKey>('POST', `/applications/${sibling}/api-keys`, body);
    expect((await listOfSibling()).body.data.map(({ id }) => id)).toEqual([own.id]);
    const ids = (await readAll(100)).flatMap(({ data }) => data.map(({ id }) => id));
    expect(ids).not.toContain(own.id);
  });

  test('in pages holds every key once, whatever is made or revoked between two of them', async () => {
    const made: ApiKey[] = [];
    for (let count = 0; count < 7; count += 1) made.push(await create(`page ${count}`));
    const fleeting = await create('fleeting');
    await setting.client.send('DELETE', `${path}/${fleeting.id}`);
    const before = await readAll(100);
    let visits = 0;
    const pages = await readAll(3, async () => {
      await create('made between');
      // The key that a cursor points at may go, too.
      if (visits === 0) await setting.client.send('DELETE', `${path}/${made.at(-3)!.id}`);
      visits += 1;
    });
    const seen = pages.flatMap(({ data }) => data.map(({ id }) => id));
    expect(pages.slice(0, -1).map(({ data }) => data.length)).toEqual(pages.slice(0, -1).map(() => 3));
    expect(seen).toEqual(before.flatMap(({ data }) => data.map(({ id }) => id)));
    expect(new Set(seen).size).toBe(seen.length);
  });

  test('has 20 keys to a page unless asked for another number', async () => {
    const tenant = await createTenant(setting.databaseUrl);
    const client = clientOf({ url: setting.url, ...tenant });
    const own = `/applications/${tenant.applicationId}/api-keys`;
    for (let count = 0; count < 20; count += 1) {
      await client.send('POST', own, { name: String(count), scopes: ['svc:read'] });
    }
    const sizes = [];
    for (const query of ['', '?limit=20', '?limit=21', '?limit=1', '?limit=100']) {
      const { body } = await client.send<Page>('GET', `${own}${query}`);
      sizes.push([body.data.length, body.nextCursor !== null]);
    }
    expect(sizes).toEqual([
      [20, true],
      [20, true],
      [21, false],
      [1, true],
      [21, false],
    ]);
  });
});

describe('GET /applications/:id/api-keys refuses', () => {
  test.each(['0', '-1', '101', 'abc', '', '1.5', '1e1', '%201', '٢'])('the limit %j', async (limit) => {
    const { status, body } = await list(`?limit=${encodeURI(limit)}`);
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { error: 'INPUT_INVALID', details: [{ path: 'query.limit' }] },
    });
  });

  test('two limits, an operator for a limit, and a parameter it does not know', async () => {
    expect(await list('?limit=1&limit=2')).toMatchObject({ status: 400, body: { error: 'INPUT_INVALID' } });
    expect(await list('?limit[$gt]=0')).toMatchObject({ status: 400, body: { error: 'INPUT_INVALID' } });
    expect(await list('?revoked=true')).toMatchObject({
      status: 400,
      body: { error: 'INPUT_INVALID', details: [{ path: 'query.revoked' }] },
    });
  });

  test('a cursor that is mangled in any place, cut, or made up', async () => {
    await create('so that there is a second page');
    const { nextCursor } = (await list('?limit=1')).body;
    const cursor = nextCursor!;
    const mangled = [...cursor].map(
      (character, at) => cursor.slice(0, at) + (character === 'A' ? 'B' : 'A') + cursor.slice(at + 1),
    );
    const others = [cursor.slice(0, -1), cursor.slice(1), `${cursor}A`, encodeCursor(['a', 'b']), 'x', '%00', '1'];
    const answers = await Promise.all([...mangled, ...others].map((text) => list(`?limit=1&cursor=${text}`)));
    expect(answers.filter(({ status }) => status !== 400).map(({ text }) => text)).toEqual([]);
    expect(await list(`?limit=1&cursor=${cursor}`)).toMatchObject({ status: 200 });
  });

  test.each<[string, Headers, number, string]>([
    ['no credential', { authorization: null }, 401, 'CREDENTIAL_REQUIRED'],
    ['an unknown key', { authorization: `Bearer ${newApiKeyToken()}` }, 401, 'CREDENTIAL_INVALID'],
    ['a tenant header that is no id', { 'x-tenant-id': 'first' }, 400, 'TENANT_INVALID'],
  ])('%s', async (_name, headers, status, error) => {
    expect(await list('', headers)).toMatchObject({ status, body: { error } });
  });

  test('whoever may only write applications, and whoever holds only service permissions', async () => {
    for (const scopes of [['console.apps.write'], ['svc:write']]) {
      const { token } = await create('no reader', { scopes });
      expect(await list('', {}, withKey(setting.client, token))).toMatchObject({
        status: 403,
        body: { error: 'PERMISSION_DENIED' },
      });
    }
  });

  test("an application that is not the organization's, in the same words as one that is nowhere", async () => {
    const refusal = {
      status: 404,
      body: { error: 'NOT_FOUND', message: 'There is no such application in your organization.' },
    };
    for (const id of [setting.stranger.applicationId, 'app_1', '$ne']) {
      expect(await setting.client.send('GET', `/applications/${id}/api-keys`)).toMatchObject(refusal);
    }
    const { apiKey, orgId } = setting.stranger;
    const authorization = `Bearer ${apiKey}`;
    expect(await list('', { authorization, 'x-tenant-id': orgId })).toMatchObject(refusal);
    expect(await list('', { authorization })).toMatchObject({ status: 403, body: { error: 'TENANT_MISMATCH' } });
  });
});

describe('reading the list', () => {
  test('changes nothing', async () => {
    const before = await storedKeys(setting, setting.tenant);
    await readAll(2);
    await list('?limit=0');
    expect(await storedKeys(setting, setting.tenant)).toEqual(before);
  });
});
