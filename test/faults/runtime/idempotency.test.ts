import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import { type DeadlyProxy, type Fate, startDeadlyProxy } from '../../integration/identity/deadly-proxy.ts';
import { freePort } from '../../support/free-port.ts';
import type { Answer } from '../../support/http.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { introduce, withDatabase } from '../../support/tenants.ts';
import { eventually, until } from '../../support/until.ts';
import {
  countActs,
  type IdempotentAction,
  idempotentActions,
  newParty,
  type Party,
  type Request,
} from './idempotent-actions.ts';

type Trap = { write: string; mark: string; fate: Fate; sprung: number };

const folder = mkdtempSync(join(tmpdir(), 'idempotency-'));
const port = freePort();
const storagePort = freePort();
const traps = new Set<Trap>();
let database: EmbeddedMongo;
let proxy: DeadlyProxy;
let platform: Platform;

beforeAll(async () => {
  database = await startEmbeddedMongo({ dir: join(folder, 'mongo'), port: 0 });
  proxy = await startDeadlyProxy(database.url, ({ name, changes }) => {
    const text = JSON.stringify(changes);
    const trap = [...traps].find(({ write, mark }) => write === name && text.includes(mark));
    if (!trap) return 'forward';
    trap.sprung += 1;
    traps.delete(trap);
    return trap.fate;
  });
  platform = await start();
}, 120_000);

afterAll(async () => {
  await platform.stop();
  await proxy.close();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<Platform> {
  const url = `http://127.0.0.1:${port}`;
  const env = {
    SECRET_KEY: 'the-same-secret-key-for-every-process-here',
    MONGO_URL: proxy.url,
    DEV_MAILBOX: 'yes',
    PORT: `${port}`,
    PUBLIC_URL: url,
    STORAGE_PORT: `${storagePort}`,
    STORAGE_URL: `http://127.0.0.1:${storagePort}`,
  };
  const started = await startPlatform({ env, dataDir: folder });
  introduce(database.url, { url });
  return started;
}

type Body = Record<string, unknown>;
type Prepared = Awaited<ReturnType<typeof prepare>>;

/** A request with a key of its own, and its repetitions. */
async function prepare(action: IdempotentAction) {
  const party = await newParty(`http://127.0.0.1:${port}`, database.url);
  const request = await eventually(() => action.request(party));
  const headers = { 'idempotency-key': randomUUID() };
  return {
    party,
    request,
    send: (): Promise<Answer<Body>> => party[request.client].send<Body>('POST', request.path, request.body, headers),
  };
}

/** Sends a request until the trap springs; what the test before did may fail it on its way there. */
async function sendInto(trap: Trap, { send }: Prepared): Promise<Answer<Body>> {
  return await eventually(async () => {
    const answer = await send();
    if (trap.sprung === 0) throw new Error(`${answer.status} ${answer.text}`);
    return answer;
  });
}

function set(action: IdempotentAction, { party, request }: { party: Party; request: Request }, fate: Fate): Trap {
  return addTrap({ write: action.write, mark: action.mark(party, request), fate });
}

function addTrap(kind: Omit<Trap, 'sprung'>): Trap {
  const trap = { ...kind, sprung: 0 };
  traps.add(trap);
  return trap;
}

const isOver = ({ status, body }: Answer<Body>): boolean =>
  status !== 503 && status !== 500 && body.error !== 'IDEMPOTENCY_IN_PROGRESS';

/** Repeats a request as a client does whose first answer was lost: until it knows what became of it. */
async function retry(send: () => Promise<Answer<Body>>): Promise<Answer<Body>> {
  return await eventually(async () => {
    const answer = await send();
    if (!isOver(answer)) throw new Error(`${answer.status} ${answer.text}`);
    return answer;
  });
}

async function expectOnce(action: IdempotentAction, { party, request, send }: Prepared) {
  const answer = await retry(send);
  expect({ status: answer.status < 300, text: answer.text }).toEqual({ status: true, text: expect.anything() });
  expect(await action.made(party, request)).toHaveLength(1);
  // What a fault does to the connections to the database may outlast it by a moment, in which anything is 503.
  await eventually(() => action.check?.(party, answer.body, request));
  if (action.act !== null) expect(await countActs(party, action.act)).toBe(1);
  const again = await retry(send);
  expect(again).toMatchObject({ status: answer.status, text: answer.text });
  expect(again.headers['idempotency-replayed']).toBe('true');
  for (const name of ['etag', 'access-revision']) expect(again.headers[name]).toBe(answer.headers[name]);
  expect(await action.made(party, request)).toHaveLength(1);
}

test('covers every action that honours an Idempotency-Key', async () => {
  const { body } = await (await newParty(platform.url, database.url)).tenant.send<{
    paths: Record<string, Record<string, { operationId: string; parameters?: { name: string }[] }>>;
  }>('GET', '/openapi.json');
  const operations = Object.values(body.paths).flatMap((path) => Object.values(path));
  const idempotent = operations.filter(({ parameters }) => parameters?.some(({ name }) => name === 'Idempotency-Key'));
  const covered = new Set(idempotentActions.map(({ name }) => name.split(',')[0]));
  expect([...covered].sort()).toEqual(idempotent.map(({ operationId }) => operationId).sort());
});

describe.each(idempotentActions)('$name', (action) => {
  test.each<[string, Fate]>([
    ['whose write was made and whose answer was lost is not run again', 'cut'],
    ['whose write was not made is run once', 'refuse'],
  ])(
    '%s',
    async (_what, fate) => {
      const prepared = await prepare(action);
      const trap = set(action, prepared, fate);
      const first = await sendInto(trap, prepared);
      expect(trap.sprung).toBe(1);
      expect(first.status).toBeGreaterThanOrEqual(500);
      await expectOnce(action, prepared);
    },
    60_000,
  );
});

const recorded = idempotentActions.flatMap(({ act, ...action }) => (act === null ? [] : { ...action, act }));

test.each(recorded)(
  '$name whose act could not be recorded is completed',
  async (action) => {
    const prepared = await prepare(action);
    const { party, request } = prepared;
    const trap = addTrap({ write: 'insert identity_audit_records', mark: party.tenant.orgId, fate: 'refuse' });
    expect((await sendInto(trap, prepared)).status).toBeGreaterThanOrEqual(500);
    expect(await action.made(party, request)).toHaveLength(1);
    expect(await countActs(party, action.act)).toBe(0);
    await expectOnce(action, prepared);
  },
  60_000,
);

test('requests whose process was killed after their write are answered by another, and none is run again', async () => {
  const all = [];
  for (const action of idempotentActions) all.push({ action, prepared: await prepare(action) });
  const armed = all.map(({ action, prepared }) => set(action, prepared, 'hold'));
  const lost = all.map(({ prepared }) =>
    prepared.send().then(
      ({ status }) => status,
      () => 'lost',
    ),
  );
  await until(() => armed.every(({ sprung }) => sprung === 1));
  await platform.kill();
  expect(await Promise.all(lost)).toEqual(all.map(() => 'lost'));
  platform = await start();
  for (const { prepared } of all) {
    const { status, body, headers } = await prepared.send();
    expect({ status, error: body.error }).toEqual({ status: 409, error: 'IDEMPOTENCY_IN_PROGRESS' });
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
  }
  await withDatabase(database.url, (stored) =>
    stored.collection('idempotency_records').updateMany({ answer: null }, { $set: { leaseUntil: new Date(0) } }),
  );
  for (const { action, prepared } of all) await expectOnce(action, prepared);
}, 240_000);
