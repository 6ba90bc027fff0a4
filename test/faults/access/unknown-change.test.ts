import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import type { Client } from '../../support/client.ts';
import { createPermitted, type Permitted, questionsAbout } from '../../support/decisions.ts';
import { freePort } from '../../support/free-port.ts';
import { readMetric } from '../../support/metrics.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { databaseUrlOf, withDatabase } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';

/** What a newer version of the platform might write. */
const madeUp = { kind: 'roleSuspended', roleId: 'role_member' };

describe('a platform whose database holds a change of access of a kind that it does not know', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'unknown-'));
  const port = freePort();
  const metricsPort = freePort();
  let platform: Platform;
  let databaseUrl: string;
  let permitted: Permitted;
  let other: Permitted;

  const start = async () => {
    const env = { PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}`, METRICS_PORT: String(metricsPort) };
    platform = await startPlatform({ dataDir, env });
    databaseUrl = await databaseUrlOf(platform);
  };
  beforeAll(async () => {
    await start();
    permitted = await createPermitted(databaseUrl, platform.url);
    other = await createPermitted(databaseUrl, platform.url);
  });
  afterAll(async () => {
    await platform.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const logOf = ({ tenant: { orgId } }: Permitted) =>
    withDatabase(databaseUrl, (database) =>
      database.collection('access_changes').find({ orgId }).sort({ revision: 1 }).toArray(),
    );
  const snapshotsOf = ({ tenant: { orgId } }: Permitted) =>
    withDatabase(databaseUrl, (database) => database.collection('access_snapshots').countDocuments({ orgId }));

  /** Stores a change as a newer node does: its head first. */
  async function store({ tenant: { orgId } }: Permitted, revision: number, change: object): Promise<void> {
    await withDatabase(databaseUrl, async (database) => {
      const touched = { $max: { revision }, $currentDate: { changedAt: true } } as const;
      await database.collection<{ _id: string }>('access_heads').updateOne({ _id: orgId }, touched);
      const document = { _id: `${orgId}:${revision}`, orgId, revision, at: new Date(), change };
      await database.collection<{ _id: string }>('access_changes').insertOne(document);
    });
  }

  async function outcomes(of: Permitted): Promise<string[]> {
    const seen: string[] = [];
    for (const client of of.clients) {
      for (const [ask, isRight] of questionsAbout(of)) {
        const { status, headers, body } = await ask(client);
        const isRefused = status === 503 && headers['retry-after'] !== undefined;
        seen.push(isRefused ? 'refused' : `${status}${status === 200 && isRight(body) ? ' right' : ''}`);
      }
    }
    return [...new Set(seen)];
  }

  const change = (client: Client) => client.send('POST', '/access/roles', { name: 'Another', permissions: [] });
  const isHalted = async () => (await readMetric(metricsPort, 'access_organizations_unreadable')) === 1;

  test('refuses all that concerns its organization, says so, and writes nothing into it', async () => {
    expect(await outcomes(permitted)).toEqual(['200 right']);
    const revision = (await logOf(permitted)).length + 1;
    await store(permitted, revision, madeUp);
    // Enough for a snapshot to be due.
    for (let next = revision + 1; next <= revision + 60; next += 1) {
      await store(permitted, next, { kind: 'subjectRemoved', subject: newId('app') });
    }
    await until(isHalted);
    const log = await logOf(permitted);
    expect(await outcomes(permitted)).toEqual(['refused']);
    for (const client of permitted.clients) {
      expect(await change(client)).toMatchObject({ status: 503, body: { error: 'UNAVAILABLE' } });
    }
    const line = await platform.logged(({ message }) => message.includes('This version of the platform cannot read'));
    expect(line).toMatchObject({
      level: 'error',
      orgId: permitted.tenant.orgId,
      reason: expect.stringContaining('roleSuspended'),
    });
    expect(await logOf(permitted)).toEqual(log);
    expect(await snapshotsOf(permitted)).toBe(0);
  });

  test('answers and changes whatever concerns other organizations', async () => {
    expect(await outcomes(other)).toEqual(['200 right']);
    expect(await Promise.all(other.clients.map(async (client) => (await change(client)).status))).toEqual([201, 201]);
  });

  test('does so as well when it starts with such a change', async () => {
    await platform.kill();
    await start();
    expect(await isHalted()).toBe(true);
    expect(await outcomes(permitted)).toEqual(['refused']);
    expect(await outcomes(other)).toEqual(['200 right']);
  });
});
