import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Collection } from 'mongodb';
import { recordBackup } from '../../../lib/data/backup-log.ts';
import { newId } from '../../../lib/data/ids.ts';
import type { Job } from '../../../mixins/cron/jobs.ts';
import type { AuditRecordDocument } from '../../../models/identity/audit-record.ts';
import type { Client } from '../../support/client.ts';
import { newOperatorClient } from '../../support/operators.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, type Tenant, withDatabase } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';
import type { User } from '../../support/user-client.ts';

let databaseUrl: string;
let operator: Client & User;
let tenant: Client & Tenant;

beforeAll(async () => {
  databaseUrl = await databaseUrlOf(await sharedPlatform());
  operator = await newOperatorClient();
  tenant = await newTenantClient();
});

test('GET /operator/nodes lists the node with its services, which is ready', async () => {
  const { data } = await operator.call('identity.operator.nodes.list', {});
  expect(data).toEqual([expect.objectContaining({ isAnswering: true, missing: [] })]);
  expect(data[0]!.services.map(({ name }) => name)).toEqual(expect.arrayContaining(['access', 'identity', 'mail']));
});

test('GET /operator/backups lists the backups, the newest first, and whether each is still there', async () => {
  const { dataDir } = await sharedPlatform();
  const folder = mkdtempSync(join(tmpdir(), 'backups-'));
  const backups = ['monday', 'tuesday'].map((name, index) => ({
    savedAt: `2026-01-0${index + 1}T02:00:00.000Z`,
    file: join(folder, name),
    bytes: 4096,
    objects: index,
  }));
  const [monday, tuesday] = backups;
  for (const backup of backups) await recordBackup(dataDir, backup);
  writeFileSync(tuesday!.file, '');
  const { data, isEmbedded } = await operator.call('identity.operator.backups.list', {});
  rmSync(folder, { recursive: true });
  expect(isEmbedded).toBe(true);
  expect(data.filter(({ file }) => file.startsWith(folder))).toEqual([
    { ...tuesday, isPresent: true },
    { ...monday, isPresent: false },
  ]);
});

test('GET /operator/backups is refused to others than operators', async () => {
  expect((await tenant.send('GET', '/operator/backups')).status).toBe(403);
  expect((await tenant.send('GET', '/operator/backups', undefined, { authorization: null })).status).toBe(401);
});

test('GET /operator/jobs lists the scheduled work of all services', async () => {
  const { data, silent } = await operator.call('identity.operator.jobs.list', {});
  const names = data.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['storage.cleanup']));
  expect(names).toEqual(names.toSorted());
  expect(silent).toEqual([]);
});

describe('POST /operator/jobs/:name/run', () => {
  const run = (name: string, headers = {}) =>
    operator.attempt('identity.operator.jobs.run', { path: { name } }, { 'idempotency-key': randomUUID(), ...headers });
  const name = 'identity.sessions';
  const read = async () => {
    const { data } = await operator.call('identity.operator.jobs.list', {});
    return data.find((job) => job.name === name)!;
  };
  const records = () =>
    withDatabase(databaseUrl, (database) =>
      database
        .collection<AuditRecordDocument>('identity_audit_records')
        .find({ orgId: 'platform', action: 'job.requested', 'actor.id': operator.userId })
        .toArray(),
    );

  test('runs a job now, which the log of the platform says, and a repetition with its key does not', async () => {
    await until(async () => (await read()).doneAt !== null && (await read()).runningOn === null);
    const { doneAt: before } = await read();
    const headers = { 'idempotency-key': randomUUID() };
    expect(await run(name, headers)).toMatchObject({ status: 202, body: { name, status: 'requested' } });
    await until(async () => (await read()).doneAt !== before);
    const { doneAt, lastError } = await read();
    expect(lastError).toBeNull();
    expect(await run(name, headers)).toMatchObject({ status: 202, body: { name, status: 'requested' } });
    expect((await read()).doneAt).toBe(doneAt);
    expect(await records()).toMatchObject([
      { actor: { type: 'operator', id: operator.userId }, target: { type: 'job', id: name } },
    ]);
  });

  test('is refused while a node does the work, and changes nothing', async () => {
    const held = 'notification.retention';
    const jobs = <T>(work: (collection: Collection<Job>) => Promise<T>) =>
      withDatabase(databaseUrl, (database) => work(database.collection<Job>('scheduled_jobs')));
    await until(
      async () => (await jobs((all) => all.findOne({ _id: held, owner: null, doneUpTo: { $ne: null } }))) !== null,
    );
    await jobs((all) => all.updateOne({ _id: held }, { $set: { owner: 'another-node' } }));
    try {
      const stored = await jobs((all) => all.findOne({ _id: held }));
      expect(await run(held)).toMatchObject({ status: 409, body: { error: 'JOB_RUNNING' } });
      expect(await jobs((all) => all.findOne({ _id: held }))).toEqual(stored);
    } finally {
      await jobs((all) => all.updateOne({ _id: held }, { $set: { owner: null } }));
    }
    expect((await records()).map(({ target }) => target.id)).not.toContain(held);
  });

  test.each(['identity.nothing', '$ne', '__proto__', 'x'])('does not know %s', async (unknown) => {
    expect(await run(unknown)).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } });
  });

  test('is for operators alone', async () => {
    expect((await tenant.send('POST', `/operator/jobs/${name}/run`)).status).toBe(403);
  });
});

describe.each([
  ['mail', 'mail_messages', 'msg'],
  ['notifications', 'notification_messages', 'ntf'],
])('the dead letters of %s', (queue, collection, prefix) => {
  const path = `/operator/${queue}/dead-letters`;
  const send = <T>(method: string, at: string, body?: object) => operator.send<T>(method, at, body);
  type Page = { data: { id: string }[]; nextCursor: string | null };

  async function findAll(): Promise<string[]> {
    const ids: string[] = [];
    for (let query: string | null = '?limit=2'; query !== null; ) {
      const answer: { status: number; body: Page } = await send<Page>('GET', path + query);
      expect(answer.status).toBe(200);
      ids.push(...answer.body.data.map(({ id }) => id));
      const { nextCursor } = answer.body;
      query = nextCursor === null ? null : `?limit=2&cursor=${encodeURIComponent(nextCursor)}`;
    }
    return ids;
  }

  test('are listed in pages, and queued again by organization and by id', async () => {
    const at = new Date();
    const common = { orgId: tenant.orgId, status: 'failed', attempts: 12, leaseOwner: null, createdAt: at };
    const failed = {
      ...common,
      nextAttemptAt: at,
      startedAt: at,
      updatedAt: at,
      lastError: '550',
      lastFailure: 'refused',
    };
    const ids = [1, 2, 3].map(() => newId(prefix as 'msg'));
    const dead = ids.map((id) => ({ ...failed, _id: id, key: id }));
    await withDatabase(databaseUrl, async (database) => {
      const documents = database.collection<{ _id: string }>(collection);
      await documents.insertMany(dead);
      try {
        expect(await findAll()).toEqual(expect.arrayContaining(ids));
        const order = { nextAttemptAt: -1, _id: -1 } as const;
        const plan = await documents
          .find({ status: 'failed' } as object)
          .sort(order)
          .explain('queryPlanner');
        expect(JSON.stringify(plan)).toMatch(/"IXSCAN"/);
        expect(JSON.stringify(plan)).not.toMatch(/"SORT"/);
        const [first = ''] = ids;
        const redrive = (what: string) => send<{ requeued: number }>('POST', `${path}/redrive`, { what });
        expect(await redrive(first)).toMatchObject({ status: 200, body: { requeued: 1 } });
        expect(await redrive(first)).toMatchObject({ status: 404 });
        expect(await redrive(tenant.orgId)).toMatchObject({ status: 200, body: { requeued: 2 } });
        expect(await redrive('nothing')).toMatchObject({ status: 404 });
      } finally {
        await documents.deleteMany({ _id: { $in: ids } });
      }
    });
  });

  test('are refused by field, and to API keys', async () => {
    expect(await send('POST', `${path}/redrive`, {})).toMatchObject({ status: 400 });
    expect(await send('GET', `${path}?cursor=x`)).toMatchObject({ status: 400 });
    expect((await tenant.send('GET', path)).status).toBe(403);
  });
});
