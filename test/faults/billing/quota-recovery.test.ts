import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import type { CounterDocument } from '../../../models/billing/counter.ts';
import type { EventDocument } from '../../../models/context/event.ts';
import { type Client, clientOf } from '../../support/client.ts';
import { clockEnvironment } from '../../support/clock-environment.ts';
import { eventOf } from '../../support/events.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { propertyCases } from '../../support/property-cases.ts';
import { createTenant, databaseUrlOf, type Tenant, withDatabase } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';

const kills = propertyCases(3, 6);
const connections = 32;
const occurredAt = '2026-01-01T00:00:00.000Z';
const answersBeforeKill = 70;
/** Of the plan `free`. */
const limit = 1000;
const meter = 'context.eventsPerDay';
const minute = 60_000;
const dataDir = mkdtempSync(join(tmpdir(), 'quota-recovery-'));
let platform: Platform;

afterAll(async () => {
  await platform.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

/** At noon no day ends while the test runs. The clock goes on from there, so many milliseconds ahead of the real one. */
const noon = Date.parse(`${new Date().toISOString().slice(0, 10)}T12:00:00.000Z`);
const begun = Date.now();
const startAhead = (milliseconds: number) =>
  startPlatform({ dataDir, env: clockEnvironment(noon + milliseconds, begun) });

const clientNow = ({ orgId, apiKey }: Tenant): Client => clientOf({ url: platform.url, orgId, apiKey });

/** Sends events until something says that it is enough; the statuses of those that were answered. */
async function send(tenant: Tenant, isEnough: (statuses: number[]) => boolean): Promise<number[]> {
  const client = clientNow(tenant);
  const statuses: number[] = [];
  const connection = async () => {
    while (!isEnough(statuses)) {
      const answer = await client
        .attempt('context.events.create', { body: eventOf(tenant.orgId, { occurredAt }) })
        .catch(() => ({ status: 0 }));
      statuses.push(answer.status);
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
  return statuses.filter((status) => status !== 0);
}

async function killWhileSending(tenant: Tenant): Promise<void> {
  let killing: Promise<void> | undefined;
  const statuses = await send(tenant, (all) => {
    if (all.length >= answersBeforeKill) killing ??= platform.kill();
    return killing !== undefined;
  });
  await killing;
  expect(new Set(statuses)).toEqual(new Set([201]));
}

const read = async ({ orgId }: Tenant) =>
  withDatabase(await databaseUrlOf(platform), async (database) => ({
    counter: await database.collection<CounterDocument>('billing_counters').findOne({ orgId, meter }),
    stored: await database.collection<EventDocument>('context_events').countDocuments({ orgId }),
  }));

test(`within ten minutes of ${kills} kills what is counted is what is stored, and the limit is exact`, async () => {
  platform = await startAhead(0);
  const tenant = await createTenant(await databaseUrlOf(platform));
  for (let kill = 0; kill < kills; kill += 1) {
    await killWhileSending(tenant);
    platform = await startAhead(0);
  }
  const before = await read(tenant);
  // Otherwise nothing was under way when it was killed, and nothing is shown.
  expect(before.counter!.used).toBeGreaterThan(before.stored);

  await platform.kill();
  // The leases expire within five minutes, and a job that was killed is taken over within two.
  platform = await startAhead(6 * minute);
  await until(async () => (await read(tenant)).counter!.held === 0, 4 * minute);
  const after = await read(tenant);
  expect(after.stored).toBe(before.stored);
  expect(after.counter!.used).toBe(after.stored);

  const statuses = await send(tenant, (all) => all.filter((status) => status === 402).length >= 50);
  expect(new Set(statuses)).toEqual(new Set([201, 402]));
  expect(statuses.filter((status) => status === 201)).toHaveLength(limit - after.stored);
  await until(async () => (await read(tenant)).counter!.held === 0);
  const full = await read(tenant);
  expect([full.counter!.used, full.stored]).toEqual([limit, limit]);
}, 600_000);
