import { seedDatabase } from '../access/seed.ts';
import { makeWorld } from '../access/world.ts';
import { type Figure, medianBy } from '../figure.ts';
import type { ListsJob } from '../load/fill-lists.ts';
import { openConnection } from '../load/http-connection.ts';
import { type HttpRequest, loadWith, wire } from '../load/http-request.ts';
import { type LoadResult, percentile } from '../load/result.ts';
import type { Options } from '../options.ts';
import { runJob, startServer, temporaryFolder, waitUntilQuiet } from '../processes.ts';
import { say } from '../progress.ts';
import { headersOf, type Platform, startPlatform } from '../servers/platform.ts';

const count = 100_000;
const rows = count.toLocaleString('en');
const connections = 32;
const maxMilliseconds = { list: 100, page: 200 };
const pagesEachRound = 40;
const sessionToken = 'a-session-of-the-benchmark';
const bucket = 'measured-files';

/** An organization with many users, customers, mails and files, and its platform. */
type Filled = { platform: Platform; storagePort: number; slug: string; stop: () => Promise<void> };

type List = { name: string; path: string; isStorage?: true };

const lists: List[] = [
  { name: 'users', path: '/identity/users?limit=50' },
  { name: 'users, found by the beginning of a name', path: '/identity/users?limit=50&search=family12' },
  { name: 'customers', path: '/v1/story/customers?limit=50' },
  { name: 'customers, found by the beginning of a name', path: '/v1/story/customers?limit=50&q=ada' },
  { name: 'mails', path: '/v1/mail/messages?limit=50' },
  { name: 'mails of a recipient', path: '/v1/mail/messages?limit=50&to=person-7%40example.com' },
  { name: 'files', path: `/v1/buckets/${bucket}/objects?limit=50`, isStorage: true },
  { name: 'files below a prefix', path: `/v1/buckets/${bucket}/objects?limit=50&prefix=Family12`, isStorage: true },
];

const pages = [
  ['users', 'users'],
  ['users, found by a name', 'users?search=family12'],
  ['customers', 'customers'],
  ['messages', 'messages'],
  ['files', `files/buckets/${bucket}`],
] as const;

/** Measures lists and searches of an organization with many of everything, and the pages of its console. */
export async function measureLists(options: Options): Promise<Figure[]> {
  const filled = await start();
  const figures: Figure[] = [];
  for (const list of lists) figures.push(await measureList(options, filled, list));
  for (const [name, path] of pages) figures.push(await measurePage(options, filled, name, path));
  await filled.stop();
  return figures;
}

async function start(): Promise<Filled> {
  const size = { organizations: 1, users: count, roles: 1, permissions: 7, permissionsOfRole: 1, rolesOfUser: 0 };
  const world = makeWorld(size);
  const [organization] = world;
  if (!organization) throw new Error('The world has no organization.');
  const { orgId, users } = organization;
  const database = await startServer<{ url: string }>('servers/embedded-database.ts', { folder: temporaryFolder() });
  const { url } = database.address;
  const apiKeys = await seedDatabase(url, world, ['svc:admin']);
  const started = await startPlatform(temporaryFolder(), { MONGO_URL: url });
  const platform = { ...started, orgId, apiKey: apiKeys.get(orgId) ?? '' };
  const storagePort = Number(new URL(platform.storageUrl).port);
  await makeModels(platform, storagePort);
  const job: ListsJob = { url, orgId, userIds: users.map(({ id }) => id), sessionToken, count };
  await runJob('load/fill-lists.ts', job);
  await waitUntilQuiet(database.pid);
  say(`${rows} users, customers, mails and files are stored`);
  const stop = async () => {
    await platform.stop();
    await database.stop();
  };
  return { platform, storagePort, slug: orgId.replace('_', '-'), stop };
}

/** Makes one customer and one file, of which the others are copies. */
async function makeModels(platform: Platform, storagePort: number): Promise<void> {
  const { orgId, port } = platform;
  await send(platform, `http://127.0.0.1:${port}/events`, {
    schemaVersion: '1.0',
    tenantId: orgId,
    eventId: 'f3b5a1f0-7f0e-4b52-9f4e-2f6f5c1d9b11',
    eventName: 'order.created',
    occurredAt: new Date().toISOString(),
    actor: { type: 'customer', id: 'model' },
    source: { system: 'shop', channel: 'web' },
    payload: { orderId: 'A-1', totalAmount: '49.90', currency: 'EUR' },
  });
  await send(platform, `http://127.0.0.1:${port}/v1/story/customers/model`);
  await send(platform, `http://127.0.0.1:${storagePort}/v1/buckets`, { name: bucket });
  const answer = await fetch(`http://127.0.0.1:${storagePort}/v1/objects/${bucket}/model.txt`, {
    method: 'PUT',
    headers: { ...headersOf(platform), 'Content-Type': 'text/plain' },
    body: 'a text',
  });
  if (!answer.ok) throw new Error(`The file was answered ${answer.status}: ${await answer.text()}`);
}

async function send(platform: Platform, url: string, body?: object): Promise<void> {
  const answer = await fetch(url, {
    method: body ? 'POST' : 'GET',
    headers: { ...headersOf(platform), 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${url} was answered ${answer.status}: ${await answer.text()}`);
}

async function measureList(options: Options, filled: Filled, { name, path, isStorage }: List): Promise<Figure> {
  const { platform, storagePort } = filled;
  const request: HttpRequest = { method: 'GET', path, headers: headersOf(platform), status: 200 };
  const measured: LoadResult[] = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    const result = await loadWith(request, {
      port: isStorage ? storagePort : platform.port,
      connections,
      seconds: options.seconds,
      warmUpSeconds: options.seconds / 3,
    });
    if (result.failures > 0) throw new Error(`${path}: ${result.firstFailure}`);
    measured.push(result);
    say(`list of ${name}, round ${round}/${options.rounds}: p99 ${result.p99.toFixed(1)} ms`);
  }
  const { p50, p99, perSecond } = medianBy(measured, (result) => result.p99);
  return {
    name: `list of ${name}, ${rows} rows`,
    value: `p99 ${p99.toFixed(0)} ms`,
    beside: `p50 ${p50.toFixed(0)} ms, ${Math.round(perSecond).toLocaleString('en')} req/s`,
    ratio: null,
    bar: `≤ ${maxMilliseconds.list} ms`,
    holds: p99 <= maxMilliseconds.list,
    rounds: measured,
  };
}

async function measurePage({ rounds }: Options, filled: Filled, name: string, path: string): Promise<Figure> {
  const { platform, slug } = filled;
  const connection = await openConnection(platform.port);
  const headers = { Cookie: `platform_session=${sessionToken}`, Accept: 'text/html' };
  const text = wire({ method: 'GET', path: `/console/${slug}/${path}`, headers });
  const times: number[] = [];
  for (let page = 0; page < rounds * pagesEachRound; page += 1) {
    const startedAt = performance.now();
    const { status, body } = await connection.exchange(text);
    if (status !== 200) throw new Error(`The page ${path} was answered ${status}: ${body.slice(0, 500)}`);
    times.push(performance.now() - startedAt);
  }
  connection.close();
  const sorted = times.toSorted((left, right) => left - right);
  const worst = percentile(sorted, 0.99);
  say(`page of ${name}: p99 ${worst.toFixed(1)} ms`);
  return {
    name: `page of ${name}, ${rows} rows`,
    value: `p99 ${worst.toFixed(0)} ms`,
    beside: `p50 ${percentile(sorted, 0.5).toFixed(0)} ms`,
    ratio: null,
    bar: `≤ ${maxMilliseconds.page} ms`,
    holds: worst <= maxMilliseconds.page,
    rounds: times,
  };
}
