import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { hour, minute, now } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';
import type { AuditRecordDocument } from '../../../models/identity/audit-record.ts';
import { ask, newClient, ownAccounts, pass } from './accounts-setting.ts';

ownAccounts();

// Each begins early in an hour of the clock, so that none ends within it.
beforeEach(() => pass(hour + minute - (now().getTime() % hour)));

const anonymous = { type: 'anonymous' as const, id: null };
const newTarget = () => ({ type: 'user', id: newId('usr') });

const append = (orgId: string, target = newTarget(), client = newClient()) =>
  ask('identity.audit.append', { action: 'login.failed', orgId, actor: anonymous, target }, { client });

async function recordsOf(orgId: string): Promise<AuditRecordDocument[]> {
  const { AuditRecordModel } = await import('../../../models/identity/audit-record.ts');
  return AuditRecordModel.find({ orgId }).sort({ _id: 1 }).lean<AuditRecordDocument[]>();
}

const countIn = (records: AuditRecordDocument[]) => records.reduce((sum, { count = 0 }) => sum + count, 0);

describe('what people without a credential do', () => {
  test('is one record for a target, a network and an hour, which counts it, however many do it at once', async () => {
    const [orgId, target, client] = [newId('org'), newTarget(), newClient()];
    await Promise.all(Array.from({ length: 50 }, () => append(orgId, target, client)));
    const [record, ...others] = await recordsOf(orgId);
    expect(others).toEqual([]);
    expect(record).toMatchObject({ action: 'login.failed', actor: { type: 'anonymous' }, target, count: 50 });
    expect(record!.address).toBe(client.address);
    pass(hour);
    await append(orgId, target, client);
    await append(orgId, newTarget(), client);
    await append(orgId, target, newClient());
    const counts = (await recordsOf(orgId)).map(({ count }) => count);
    expect(counts.sort()).toEqual([1, 1, 1, 50]);
  });

  test('adds a hundred records an hour to a log and one that counts the rest', async () => {
    const orgId = newId('org');
    await Promise.all(Array.from({ length: 150 }, () => append(orgId)));
    const records = await recordsOf(orgId);
    expect(records).toHaveLength(101);
    expect(countIn(records)).toBe(150);
    const rest = records.filter(({ target }) => target.type === 'various');
    expect(rest).toMatchObject([{ count: 50, address: null, userAgent: null, requestId: null }]);
  });

  test('is counted again after a node that ended before the record was made', async () => {
    const [orgId, target, client] = [newId('org'), newTarget(), newClient()];
    await append(orgId, target, client);
    const { AuditRecordModel } = await import('../../../models/identity/audit-record.ts');
    const [{ _id }] = (await recordsOf(orgId)) as [AuditRecordDocument];
    await AuditRecordModel.deleteOne({ orgId, _id });
    await append(orgId, target, client);
    expect(await recordsOf(orgId)).toMatchObject([{ _id, target, count: 1 }]);
  });

  test('leaves nothing behind but its records once the hour is over', async () => {
    const { AuditWindowModel } = await import('../../../models/identity/audit-window.ts');
    const { sweepAuditWindows } = await import('../../../services/identity/audit-log.ts');
    await append(newId('org'));
    pass(2 * hour);
    await sweepAuditWindows();
    expect(await AuditWindowModel.countDocuments({})).toBe(0);
  });
});

test('what a member or the platform does is recorded one by one', async () => {
  const [orgId, target] = [newId('org'), newTarget()];
  const actor = { type: 'user' as const, id: `usr_${randomBytes(4).toString('hex')}` };
  const acts = Array.from({ length: 150 }, () =>
    ask('identity.audit.append', { action: 'login.failed', orgId, actor, target }),
  );
  await Promise.all(acts);
  const records = await recordsOf(orgId);
  expect(records).toHaveLength(150);
  expect(records.every((record) => !('count' in record) && !('lastAt' in record))).toBe(true);
});
