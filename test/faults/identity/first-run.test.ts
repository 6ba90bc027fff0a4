import { scryptSync } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import { idPattern } from '../../../lib/data/ids.ts';
import { hashToken } from '../../../lib/security/token-hash.ts';
import { startDeadlyProxy, type Write } from '../../integration/identity/deadly-proxy.ts';
import { type FirstRun, firstRunOf, type NodeProcess, startNode, startPlatform } from '../../support/platform.ts';
import { withDatabase } from '../../support/tenants.ts';

const folder = mkdtempSync(join(tmpdir(), 'first-run-'));
let server: EmbeddedMongo;
let count = 0;
beforeAll(async () => {
  server = await startEmbeddedMongo({ dir: join(folder, 'mongo'), port: 0 });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The address of a database that is empty, and of it alone. */
function emptyDatabase(url = server.url): string {
  count += 1;
  const address = new URL(url);
  address.pathname = `/database-${count}`;
  return address.href;
}

function newFolder(): string {
  return mkdtempSync(join(folder, 'data-'));
}

const secretKey = 'the-same-secret-key-for-every-process-here';

function startIdentity(databaseUrl: string, { env = {}, dataDir = newFolder() } = {}): NodeProcess {
  return startNode({
    services: ['identity', 'access'],
    dataDir,
    env: { MONGO_URL: databaseUrl, SECRET_KEY: secretKey, ...env },
  });
}

const started = (node: NodeProcess) => node.logged(({ message }) => message === "Service 'identity' started.");
const announcements = (node: NodeProcess) => node.output().split('The platform is set up.').length - 1;

const collections = [
  'identity_organizations',
  'identity_applications',
  'identity_api_keys',
  'identity_users',
  'access_changes',
] as const;
type Stored = Record<(typeof collections)[number], Record<string, unknown>[]>;

/** Everything that identity and access control keep in a database. */
function readStored(databaseUrl: string): Promise<Stored> {
  return withDatabase(databaseUrl, async (database) => {
    const contents = await Promise.all(collections.map((name) => database.collection(name).find().toArray()));
    return Object.fromEntries(collections.map((name, place) => [name, contents[place]])) as unknown as Stored;
  });
}

/** Expects one user, organization, application and key, joined to one another, and that the credentials are theirs. */
async function expectOneOfEach(databaseUrl: string, firstRun: FirstRun): Promise<void> {
  const { orgId, orgSlug, applicationId, adminEmail, adminPassword, apiKey } = firstRun;
  const stored = await readStored(databaseUrl);
  const [user] = stored.identity_users;
  expect(stored).toEqual({
    identity_users: [expect.objectContaining({ email: adminEmail.toLowerCase() })],
    identity_organizations: [expect.objectContaining({ _id: orgId, slug: orgSlug })],
    access_changes: [
      expect.objectContaining({
        orgId,
        revision: 1,
        change: { kind: 'founded', owner: expect.objectContaining({ subject: user?._id, roleId: 'role_owner' }) },
      }),
    ],
    identity_applications: [expect.objectContaining({ _id: applicationId, orgId, slug: 'first-app' })],
    identity_api_keys: [
      expect.objectContaining({
        orgId,
        applicationId,
        tokenHash: hashToken(apiKey),
        scopes: ['svc:admin'],
        expiresAt: null,
        revokedAt: null,
      }),
    ],
  });
  expect(isPassword(adminPassword, user!.passwordHash as string)).toBe(true);
}

function isPassword(password: string, stored: string): boolean {
  const [, ln, r, p, salt, hash] = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$(.+)\$(.+)$/.exec(stored)!;
  const options = { N: 2 ** Number(ln), r: Number(r), p: Number(p) };
  return scryptSync(password, Buffer.from(salt!, 'base64'), 32, options).equals(Buffer.from(hash!, 'base64'));
}

function readRuns(databaseUrl: string): Promise<{ leaseUntil: Date }[]> {
  return withDatabase(databaseUrl, (database) =>
    database.collection<{ leaseUntil: Date }>('identity_first_runs').find().toArray(),
  );
}

const past = new Date(0);

/** Moves the end of a claim; into the past, it is as if the seconds had gone by that a dead process is waited for. */
function setLease(databaseUrl: string, leaseUntil: Date): Promise<unknown> {
  return withDatabase(databaseUrl, (database) =>
    database.collection('identity_first_runs').updateMany({}, { $set: { leaseUntil } }),
  );
}

describe('the first run', () => {
  test('prints what it made once, keeps it in a file for its owner alone, and the next start adds nothing', async () => {
    const dataDir = newFolder();
    const first = await startPlatform({ dataDir });
    const { firstRun } = first;
    const file = join(dataDir, 'first-run.json');
    const written = readFileSync(file, 'utf8');
    expect(firstRun).toEqual({
      publicUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      storageUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      cdnUrl: `${firstRun.storageUrl}/cdn`,
      adminEmail: 'admin@localhost',
      adminPassword: expect.stringMatching(/^[\w-]{20}$/),
      orgId: expect.stringMatching(idPattern('org')),
      orgSlug: 'first',
      applicationId: expect.stringMatching(idPattern('app')),
      apiKey: expect.stringMatching(/^svc_live_\w{36}$/),
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(dataDir, 'secret-key')).mode & 0o777).toBe(0o600);
    expect(announcements(first)).toBe(1);
    for (const value of [firstRun.apiKey, firstRun.adminPassword, firstRun.orgId, file]) {
      expect(first.output()).toContain(value);
    }
    expect(first.log().filter((line) => JSON.stringify(line).includes(firstRun.adminPassword))).toEqual([]);
    expect(first.log().filter((line) => JSON.stringify(line).includes('svc_live_'))).toEqual([]);
    await first.stop();

    const second = await startPlatform({ dataDir });
    expect(announcements(second)).toBe(0);
    expect(second.output()).not.toContain('svc_live_');
    expect(readFileSync(file, 'utf8')).toBe(written);
    const headers = { Authorization: `Bearer ${firstRun.apiKey}` };
    const response = await fetch(`${second.url}/identity/me`, { headers });
    expect(await response.json()).toMatchObject({ id: firstRun.applicationId, orgId: firstRun.orgId });
    await second.stop();
  });

  test('is done once by three processes that start at the same time', async () => {
    const databaseUrl = emptyDatabase();
    const nodes = Array.from({ length: 3 }, () => startIdentity(databaseUrl));
    await Promise.all(nodes.map(started));
    const told = nodes.filter(({ dataDir }) => existsSync(join(dataDir, 'first-run.json')));
    expect(told).toHaveLength(1);
    expect(nodes.map(announcements).sort()).toEqual([0, 0, 1]);
    await expectOneOfEach(databaseUrl, firstRunOf(told[0]!.dataDir));
    await Promise.all(nodes.map((node) => node.stop()));
  });

  test('killed before each of its writes in turn is completed, with the same credentials, once its lease ends', async () => {
    const databaseUrl = emptyDatabase();
    const dataDir = newFolder();
    for (const write of writes) await startAndKillBefore(write, databaseUrl, dataDir);
    const handedOver = firstRunOf(dataDir);

    const [run] = await readRuns(databaseUrl);
    expect(run?.leaseUntil.getTime()).toBeLessThanOrEqual(Date.now() + 5000);
    await setLease(databaseUrl, new Date(Date.now() + 3_600_000));
    const last = startIdentity(databaseUrl, { dataDir });
    await last.logged(({ message }) => message.startsWith('Another process performs the first run or died during it'));
    expect(announcements(last)).toBe(0);
    await setLease(databaseUrl, past);
    await started(last);
    expect(announcements(last)).toBe(1);
    expect(firstRunOf(dataDir)).toEqual(handedOver);
    expect(last.output()).toContain(handedOver.apiKey);
    await expectOneOfEach(databaseUrl, handedOver);
    await last.stop();
  }, 120_000);

  test('takes the administrator from the settings, and neither prints a password that was chosen nor keeps a secret', async () => {
    const databaseUrl = emptyDatabase();
    const seen: string[] = [];
    const proxy = await startDeadlyProxy(databaseUrl, (write) => {
      if (!isRenewal(write) && !isAside(write) && seen.at(-1) !== writes.at(-1)) seen.push(write.name);
      return 'forward';
    });
    const env = { ADMIN_EMAIL: 'Ada@Example.COM', ADMIN_PASSWORD: 'correct horse battery' };
    const node = startIdentity(proxy.url, { env });
    await started(node);
    const firstRun = firstRunOf(node.dataDir);
    expect(firstRun).toMatchObject({ adminEmail: 'Ada@Example.COM', adminPassword: 'correct horse battery' });
    await expectOneOfEach(databaseUrl, firstRun);
    expect(node.output()).not.toContain('correct horse');
    expect(node.output()).toContain('the one in ADMIN_PASSWORD');
    expect(await readRuns(databaseUrl)).toMatchObject([{ _id: 'first-run', status: 'done', sealed: null }]);
    // So the test above has killed it before every one of them.
    expect(seen).toEqual(writes);
    await node.stop();
    await proxy.close();
  });

  test('goes on with new credentials after a process whose secret key nobody has', async () => {
    const databaseUrl = emptyDatabase();
    const dataDir = newFolder();
    await startAndKillBefore('update identity_first_runs', databaseUrl, dataDir);
    const lost = firstRunOf(dataDir);
    await setLease(databaseUrl, past);
    const next = startIdentity(databaseUrl, { env: { SECRET_KEY: 'another-secret-key-than-the-one-before' } });
    await started(next);
    const firstRun = firstRunOf(next.dataDir);
    expect(firstRun.apiKey).not.toBe(lost.apiKey);
    expect(firstRun.orgId).toBe(lost.orgId);
    await expectOneOfEach(databaseUrl, firstRun);
    await next.stop();
  });

  test('is left to the process that took it over, by one that was only held up', async () => {
    const databaseUrl = emptyDatabase();
    const { promise: heldUp, resolve } = Promise.withResolvers<void>();
    let slow: NodeProcess | undefined;
    let isHeldUp = false;
    const proxy = await startDeadlyProxy(databaseUrl, ({ name }) => {
      if (name === 'update identity_organizations' && !isHeldUp) {
        isHeldUp = true;
        process.kill(slow!.pid, 'SIGSTOP');
        resolve();
      }
      return 'forward';
    });
    slow = startIdentity(proxy.url);
    await heldUp;
    await setLease(databaseUrl, past);
    const other = startIdentity(databaseUrl);
    await started(other);
    process.kill(slow.pid, 'SIGCONT');
    await started(slow);
    expect([announcements(slow), announcements(other)]).toEqual([0, 1]);
    expect(existsSync(join(slow.dataDir, 'first-run.json'))).toBe(false);
    await expectOneOfEach(databaseUrl, firstRunOf(other.dataDir));
    await Promise.all([slow.stop(), other.stop()]);
    await proxy.close();
  });

  test('stops with a sentence when the file cannot be written, and is completed once it can', async () => {
    const databaseUrl = emptyDatabase();
    const dataDir = newFolder();
    const obstacle = join(dataDir, 'first-run.json');
    mkdirSync(obstacle);
    const node = startIdentity(databaseUrl, { dataDir });
    expect(await node.exited).toBe(1);
    expect(node.output()).toContain(`The first credentials cannot be written to ${obstacle}`);
    expect(node.output()).not.toContain('svc_live_');
    rmdirSync(obstacle);
    await setLease(databaseUrl, past);
    const next = startIdentity(databaseUrl, { dataDir });
    await started(next);
    await expectOneOfEach(databaseUrl, firstRunOf(dataDir));
    await next.stop();
  });
});

/** The writes of a first run, in their order: first the record of the database. */
const writes = [
  'insert platform_records',
  'insert identity_first_runs',
  'update identity_organizations',
  'update access_heads',
  'insert access_changes',
  'update identity_applications',
  'insert identity_api_keys',
  'insert identity_users',
  'insert identity_directory_entries',
  'update identity_directory_keys',
  'update identity_first_runs',
];

/** A renewal of the claim leaves nothing behind that the next start could stumble over. */
function isRenewal({ name, changes }: Write): boolean {
  return name === 'update identity_first_runs' && !JSON.stringify(changes).includes('"done"');
}

/**
 * Writes that may come at any moment of a first run: scheduled work, which makes the first signing key and sweeps, and
 * the record of services that declare an erasure. Before it comes the probe of atomic updates.
 */
function isAside({ name }: Write): boolean {
  return /scheduled_job|platform_probes|identity_signing_keys|identity_erasures|^delete /.test(name);
}

/** Starts a process, takes a dead one's place at once, and kills it when it is about to do a write. */
async function startAndKillBefore(write: string, databaseUrl: string, dataDir: string): Promise<void> {
  await setLease(databaseUrl, past);
  let node: NodeProcess | undefined;
  const proxy = await startDeadlyProxy(databaseUrl, (next) => {
    if (isRenewal(next) || next.name !== write) return 'forward';
    void node?.kill();
    return 'drop';
  });
  node = startIdentity(proxy.url, { dataDir });
  // Null: it ended by the signal, not by itself.
  expect(await node.exited).toBeNull();
  await proxy.close();
}
