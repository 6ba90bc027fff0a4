import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Client, clientOf } from '../../support/client.ts';
import { listen } from '../../support/event-client.ts';
import { greet, HelloService, untilGreeted } from '../../support/hello-service.ts';
import { largeBody } from '../../support/large-body.ts';
import { residentBytes, watchPeak } from '../../support/memory.ts';
import { control, runJob } from '../../support/operator.ts';
import { visitorOf, wordsOf } from '../../support/pages.ts';
import { type NodeProcess, ready, startNode, urlOf } from '../../support/platform.ts';
import { propertyCases, propertyTimeout } from '../../support/property-cases.ts';
import { createTenant, databaseUrlOf, introduce, type Tenant, withDatabase } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';
import { createUser, sessionClientOf, type User } from '../../support/user-client.ts';

/** The example service, as an engineer has it beside the repository, on a platform in one process. */
const servicesDir = mkdtempSync(join(tmpdir(), 'services-'));
const dataDir = mkdtempSync(join(tmpdir(), 'platform-'));
const hello = new HelloService(servicesDir);
let platform: NodeProcess;
let url: string;
let databaseUrl: string;
let tenant: Tenant;
let metered: Tenant;
let [owner, member] = [] as unknown as [User, User];

beforeAll(async () => {
  await start();
  tenant = await createTenant(databaseUrl);
  owner = await createUser(databaseUrl, { orgId: tenant.orgId });
  member = await createUser(databaseUrl, { orgId: tenant.orgId, role: 'member' });
});

afterAll(async () => {
  await platform.stop();
  for (const folder of [servicesDir, dataDir]) rmSync(folder, { recursive: true });
});

async function start(): Promise<void> {
  const env = { SERVICES_DIR: servicesDir, DEV_MAILBOX: 'yes', SECRET_KEY: 'the-same-secret-key-for-both-processes' };
  platform = startNode({ entry: 'test/support/operated-platform.ts', env, dataDir });
  url = await urlOf(platform);
  await ready(url, platform);
  databaseUrl = await databaseUrlOf(platform);
  introduce(databaseUrl, { url });
}

const load = () => control(url, 'node-1', 'load', { file: 'hello' });
const unload = () => control(url, 'node-1', 'unload', { name: 'hello' });
const key = (of = tenant): Client => clientOf({ ...of, url });
const session = (user: User): Client => {
  const client = sessionClientOf(url, user.sessionToken);
  const headers = { 'x-tenant-id': tenant.orgId };
  return { ...client, send: (method, path, body, more) => client.send(method, path, body, { ...headers, ...more }) };
};
const list = async (client: Client) => (await client.send('GET', '/v1/hello')).status;

type Listed = { data: { key: string; isSystem: boolean }[] };
async function permissions(): Promise<string[]> {
  const { body } = await key().send<Listed>('GET', '/access/permissions?namespace=hello');
  return body.data.filter(({ isSystem }) => isSystem).map((permission) => permission.key);
}

type Usage = { usage: { services?: object } };
const usageOf = async (of: Tenant) => {
  const { body } = await key(of).send<Usage>('GET', `/v1/orgs/${of.orgId}/usage`);
  return body.usage.services;
};

async function keyWith(scopes: string[]): Promise<Client> {
  const path = `/applications/${tenant.applicationId}/api-keys`;
  const { status, body } = await key().send<{ token: string }>('POST', path, { name: 'Key of a test', scopes });
  expect(status).toBe(201);
  return key({ ...tenant, apiKey: body.token });
}

test('before it is loaded there is neither its path nor its permissions', async () => {
  expect(await greet(key())).toBe('404');
  expect(await permissions()).toEqual([]);
});

test('loaded, it answers whoever holds its permissions, which are known everywhere at once', async () => {
  expect(await load()).toMatchObject({ said: expect.stringMatching(/^hello was added/), refused: false });
  expect(await greet(key())).toBe('201 Hello, Ada!');
  expect(await permissions()).toEqual(['hello.greet', 'hello.read']);
  const held = async (client: Client) => [await greet(client), await list(client)];
  expect(await held(await keyWith(['svc:read']))).toEqual(['403', 200]);
  expect(await held(await keyWith(['svc:write']))).toEqual(['201 Hello, Ada!', 200]);
  expect(await held(await keyWith(['hello.greet']))).toEqual(['201 Hello, Ada!', 403]);
  expect(await held(await keyWith(['mail.read']))).toEqual(['403', 403]);
  expect(await held(session(owner))).toEqual(['201 Hello, Ada!', 200]);
  expect(await held(session(member))).toEqual(['403', 200]);
});

test('its namespace is reserved, and a mistyped scope is noticed', async () => {
  const registered = { namespace: 'hello', permissions: [{ key: 'hello.shout' }] };
  expect((await key().send('POST', '/access/permissions', registered)).status).toBe(400);
  const path = `/applications/${tenant.applicationId}/api-keys`;
  const mistyped = { name: 'Key of a test', scopes: ['hello.great'] };
  expect((await key().send('POST', path, mistyped)).status).toBe(400);
});

test('a role gives its permission to a member', async () => {
  const body = { name: 'Greeter', permissions: ['hello.greet'] };
  const { body: role, status } = await key().send<{ id: string }>('POST', '/access/roles', body);
  expect(status).toBe(201);
  const assignment = { userId: member.userId, roleId: role.id, context: { orgId: tenant.orgId } };
  expect((await key().send('POST', '/access/assignments', assignment)).status).toBe(201);
  await until(async () => (await greet(session(member))) === '201 Hello, Ada!');
});

test('a user greets on its page, which others sign in for or may not see', async () => {
  const owned = visitorOf(url, owner.sessionToken);
  const page = await owned.get('/hello');
  expect(page.status).toBe(200);
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(page.text).toContain('<h1>Greet a person</h1>');
  const refused = await owned.postFrom('/hello', '/hello', { name: '' });
  expect(refused.status).toBe(400);
  expect(refused.text).toContain('aria-invalid="true"');
  const done = await owned.postFrom('/hello', '/hello', { name: 'Grace' });
  expect([done.status, done.headers.location]).toEqual([303, '/hello?done=greeted']);
  expect((await owned.get('/hello?done=greeted')).text).toContain('They are greeted.');
  expect((await key().send<{ data: string[] }>('GET', '/v1/hello')).body.data[0]).toBe('Hello, Grace!');
  const stranger = await visitorOf(url).get('/hello?a=b');
  expect(stranger.headers.location).toBe('/self-service/login/browser?return_to=%2Fhello%3Fa%3Db');
  const other = await createUser(databaseUrl, { orgId: tenant.orgId, role: 'member' });
  const forbidden = await visitorOf(url, other.sessionToken).get('/hello');
  expect(forbidden.status).toBe(403);
  expect(forbidden.text).toContain('<!doctype html>');
});

test('its event stream tells of a greeting', async () => {
  const stream = await listen(url, '/v1/hello/events', { authorization: `Bearer ${tenant.apiKey}` });
  await stream.take('open');
  const { body } = await key().send<{ id: string }>('POST', '/v1/hello', { name: 'Ada' });
  expect(await stream.take('greeted')).toMatchObject([{ data: { id: body.id } }]);
  stream.close();
});

test(
  'a card that is larger than the memory it takes goes up and comes down by ranges',
  async () => {
    const size = propertyCases(128, 2048) * 1024 * 1024;
    const headers = { authorization: `Bearer ${tenant.apiKey}` };
    expect((await key().send('GET', '/v1/hello/card')).status).toBe(404);
    const before = residentBytes(platform.pid);
    const peak = watchPeak(platform.pid);
    const { body, sent } = largeBody(size);
    const up = await fetch(`${url}/v1/hello/card`, {
      method: 'PUT',
      headers: { ...headers, 'content-length': String(size) },
      ...body,
    });
    expect(await up.json()).toEqual({ size });
    const received = createHash('sha256');
    const step = 48 * 1024 * 1024;
    for (let first = 0; first < size; first += step) {
      const range = `bytes=${first}-${Math.min(first + step, size) - 1}`;
      const part = await fetch(`${url}/v1/hello/card`, { headers: { ...headers, range } });
      expect(part.status).toBe(206);
      for await (const chunk of part.body as unknown as AsyncIterable<Uint8Array>) received.update(chunk);
    }
    expect(received.digest('hex')).toBe(sent.digest('hex'));
    // 64 MiB on a machine that has nothing else to do; the engine collects later on one that has.
    expect(peak() - before).toBeLessThan(96 * 1024 * 1024);
  },
  propertyTimeout,
);

test('replaced, it answers by its new helper and model', async () => {
  hello.change();
  expect(await load()).toMatchObject({ said: expect.stringMatching(/^hello was replaced/), refused: false });
  expect(await greet(key())).toBe('201 Good day, Ada! glad');
  await withDatabase(databaseUrl, async (database) => {
    const indexes = await database.collection('hello_greetings').indexes();
    expect(indexes.map((index) => index.key)).toContainEqual({ orgId: 1, mood: 1 });
  });
});

test('its command is in the console', async () => {
  const type = async (line: string) => JSON.parse((await control(url, 'node-1', 'type', { line })).said);
  expect(await type('help hello:count')).toMatchObject({ text: expect.stringContaining('hello:count <organization>') });
  expect(await type(`hello:count ${tenant.orgId}`)).toMatchObject({
    kind: 'done',
    text: expect.stringMatching(new RegExp(`^${tenant.orgId} has [1-9]\\d* greetings\\.$`)),
  });
  expect(await type('hello:count')).toMatchObject({ kind: 'failed', message: 'Usage: hello:count <organization>' });
});

test('its meter admits exactly what the plan includes, and more after an upgrade', async () => {
  const file = join(hello.folder, 'hello.service.ts');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('limits: { free: 100,', 'limits: { free: 3,'));
  expect(await load()).toMatchObject({ refused: false });
  metered = await createTenant(databaseUrl);
  const { orgId } = metered;
  const client = key(metered);
  const answers = await Promise.all(Array.from({ length: 5 }, () => greet(client)));
  expect(answers.sort()).toEqual([...Array.from({ length: 3 }, () => '201 Good day, Ada! glad'), '402', '402']);
  const refused = await client.send('POST', '/v1/hello', { name: 'Ada' });
  const resetsAt = expect.stringMatching(/T00:00:00\.000Z$/);
  expect(refused).toMatchObject({
    status: 402,
    body: {
      error: 'PLAN_LIMIT_EXCEEDED',
      upgradeUrl: expect.stringContaining(orgId),
      quota: { meter: 'hello.greetingsPerDay', limit: 3, used: 3, resetsAt },
    },
  });
  const stored = await withDatabase(databaseUrl, (database) =>
    database.collection('hello_greetings').countDocuments({ orgId }),
  );
  expect(stored).toBe(3);
  expect(await usageOf(metered)).toEqual({ hello: { greetingsPerDay: { usedToday: 3, limitPerDay: 3 } } });
  const reader = await createUser(databaseUrl, { orgId });
  const page = await visitorOf(url, reader.sessionToken).get(`/console/${orgId.replace('_', '-')}/usage`);
  for (const words of [/Greetings today Used up 3 of 3/, /Greetings a day 1,000/, /Stored greetings 1,000/]) {
    expect(wordsOf(page)).toMatch(words);
  }
  writeFileSync(file, text);
  await control(url, 'node-1', 'type', { line: `billing:give ${orgId} pro --yes` });
  expect(await greet(client)).toBe('201 Good day, Ada! glad');
  expect(await load()).toMatchObject({ refused: false });
  expect(await usageOf(metered)).toEqual({ hello: { greetingsPerDay: { usedToday: 4, limitPerDay: 1000 } } });
});

test('its schedule is done like any other', async () => {
  const old = { _id: 'greeting_old', orgId: tenant.orgId, name: 'Methuselah', createdAt: new Date(0) };
  const stored = () =>
    withDatabase(databaseUrl, (database) => database.collection('hello_greetings').countDocuments({ name: old.name }));
  await withDatabase(databaseUrl, (database) => database.collection<{ _id: string }>('hello_greetings').insertOne(old));
  await runJob(url, 'hello.retention');
  expect(await stored()).toBe(0);
});

test.each([
  [
    'permissions of another namespace',
    'hello.service.ts',
    "'hello.greet':",
    "'mail.greet':",
    'its permission mail.greet is not in its namespace',
  ],
  [
    'a meter of another service',
    'hello.service.ts',
    "'hello.greetingsPerDay':",
    "'mail.sendsPerMonth':",
    'mail.sendsPerMonth must read hello.wordInCamelCase',
  ],
  [
    'a meter of another kind than before',
    'hello.service.ts',
    "kind: 'day'",
    "kind: 'month'",
    'hello.greetingsPerDay is of the kind day: declare another name for the kind month',
  ],
  [
    'an action whose permission nobody declares',
    'hello.service.ts',
    "'hello.read':",
    "'hello.look':",
    'its action list requires the permission hello.read',
  ],
  [
    'an erasure that it does not have',
    'hello.service.ts',
    "erases: 'organizations",
    "erases: 'nothing",
    'it erases organizations by nothing.erase',
  ],
  ['a command of another service', 'operator.ts', "usage: 'hello:", "usage: 'billing:", 'must begin with hello:'],
  [
    'a setting of another service',
    'settings.ts',
    'HELLO_KEPT_DAYS',
    'TAX_RATE',
    'TAX_RATE is already declared by billing',
  ],
  ['an id prefix of the platform', 'greeting.ts', "Prefix('greeting'", "Prefix('usr'", 'usr belongs to the platform'],
])('with %s it is refused, and the former runs on', async (_what, name, from, to, reason) => {
  const file = join(hello.folder, name);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(from, to));
  expect(await load()).toEqual({ said: expect.stringContaining(reason), refused: true });
  expect(await greet(key())).toBe('201 Good day, Ada! glad');
  writeFileSync(file, text);
});

test('unloaded, its path is gone, and its permissions and meters stay, also for a process that never had it', async () => {
  expect(await unload()).toMatchObject({ refused: false });
  expect(await greet(key())).toBe('404');
  expect(await permissions()).toEqual(['hello.greet', 'hello.read']);
  await platform.stop();
  await start();
  expect(await permissions()).toEqual(['hello.greet', 'hello.read']);
  expect(await usageOf(metered)).toEqual({ hello: { greetingsPerDay: { usedToday: 4, limitPerDay: 1000 } } });
  expect(await greet(key())).toBe('404');
  await load();
  await untilGreeted([url], tenant, '201 Good day, Ada! glad');
  // The role of the member kept what it gave.
  expect(await greet(session(member))).toBe('201 Good day, Ada! glad');
});

/** What of an erased organization may stay, and why. */
const exceptions: Record<string, string> = {
  access_heads: 'that its access ended, so that it cannot begin again',
  access_changes: 'the one change that ended it',
  billing_subscriptions: 'that its subscription ended, so that what a provider tells late is given back',
  identity_api_keys: 'revoked keys, as a record',
  identity_api_key_uses: 'when those were used last',
  identity_audit_records: 'the audit log, for the operator',
  identity_organizations: 'the tombstone: its slug stays taken',
  platform_erasures: 'that it was erased, for a database that is restored',
};

async function collectionsWith(orgId: string): Promise<string[]> {
  return await withDatabase(databaseUrl, async (database) => {
    const names = (await database.listCollections().toArray()).map(({ name }) => name).sort();
    const counts = names.map((name) =>
      database.collection<{ _id: string }>(name).countDocuments({ $or: [{ orgId }, { _id: orgId }] }),
    );
    const found = await Promise.all(counts);
    return names.filter((_, place) => found[place]! > 0);
  });
}

test('an organization is erased in every service, and not before an absent one has done so too', async () => {
  const { orgId } = tenant;
  const deletion = () =>
    withDatabase(databaseUrl, (database) => database.collection('identity_deletions').findOne({ orgId }));
  const sweep = async () => {
    await withDatabase(databaseUrl, (database) =>
      database.collection('identity_deletions').updateMany({}, { $set: { leaseUntil: new Date(0) } }),
    );
    await control(url, 'node-1', 'run-job', { name: 'identity.completion' });
  };
  await unload();
  expect(await collectionsWith(orgId)).toContain('hello_greetings');
  const slug = orgId.replace('_', '-');
  expect((await session(owner).send('DELETE', `/organizations/${slug}?confirm=${slug}`)).status).toBe(202);
  const others = ['access', 'billing', 'context', 'mail'].map((name) => `erase:${name}`);
  await until(async () => {
    const completed: string[] = (await deletion())?.completedSteps ?? [];
    return others.every((name) => completed.includes(name));
  });
  await sweep();
  expect(await deletion()).toMatchObject({ isRepetition: false });
  expect((await deletion())?.completedSteps).not.toContain('tombstone');
  expect(await collectionsWith(orgId)).toContain('hello_greetings');

  const waiting = await control(url, 'node-1', 'erasures');
  expect(waiting.said).toMatch(/^hello\.organizations\.erase \(ABSENT\)$/m);
  expect(waiting.said).toMatch(new RegExp(`^${orgId}, deleted at .*, waits for: hello$`, 'm'));
  await load();
  const forgetting = await control(url, 'node-1', 'forget-erasure', { service: 'hello' });
  expect(forgetting.said).toBe('hello is running: unload it first.');
  await until(async () => {
    if ((await deletion())?.isRepetition !== true) await sweep();
    return (await deletion())?.isRepetition === true;
  });
  await sweep();
  await until(async () => (await deletion()) === null);
  const left = await collectionsWith(orgId);
  expect(left.filter((name) => !exceptions[name])).toEqual([]);
});
