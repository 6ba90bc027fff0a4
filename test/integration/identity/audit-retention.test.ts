import { beforeAll, expect, test } from '@jest/globals';
import { day } from '../../../lib/data/clock.ts';
import { platformLog } from '../../../models/identity/audit-record.ts';
import { runJob } from '../../support/operator.ts';
import { type SharedPlatform, sharedOperatedPlatform } from '../../support/shared-platform.ts';
import { createTenant, databaseUrlOf, withDatabase } from '../../support/tenants.ts';

let platform: SharedPlatform;

beforeAll(async () => {
  platform = await sharedOperatedPlatform();
});
type Stored = { _id: string; orgId: string; createdAt: Date };

/** Stores records of a log, each so many days old, the oldest first. */
async function store(orgId: string, ages: number[]): Promise<void> {
  const records = ages.map((age, index) => ({
    _id: `aud_${String(index).padStart(6, '0')}${orgId.slice(-20)}`,
    orgId,
    action: 'api-key.created',
    actor: { type: 'system', id: null, credentialId: null },
    target: { type: 'api-key', id: `${index}` },
    createdAt: new Date(Date.now() - age * day),
  }));
  await withDatabase(await databaseUrlOf(platform), (database) =>
    database.collection<Stored>('identity_audit_records').insertMany(records),
  );
}

/** The ages of a log's records in whole days, the oldest first. */
async function agesIn(orgId: string): Promise<number[]> {
  const records = await withDatabase(await databaseUrlOf(platform), (database) =>
    database.collection<Stored>('identity_audit_records').find({ orgId }).sort({ createdAt: 1 }).toArray(),
  );
  return records.map(({ createdAt }) => Math.floor((Date.now() - createdAt.getTime()) / day)).filter((age) => age > 0);
}

test('audit records are kept for the days of the plan, those of no organization for seven years', async () => {
  const databaseUrl = await databaseUrlOf(platform);
  const [free, scale] = [await createTenant(databaseUrl), await createTenant(databaseUrl, { plan: 'scale' })];
  const many = Array.from({ length: 1200 }, () => 100);
  await store(free.orgId, [...many, 91, 89, 1]);
  await store(scale.orgId, [2556, 2554, 91]);
  await store(platformLog, [2556, 2554, 91]);
  await runJob(platform.url, 'identity.audit-records');
  expect(await agesIn(free.orgId)).toEqual([89, 1]);
  expect(await agesIn(scale.orgId)).toEqual([2554, 91]);
  expect(await agesIn(platformLog)).toEqual([2554, 91]);
});
