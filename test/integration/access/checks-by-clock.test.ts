import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { register } from 'prom-client';
import { setClock } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';
import { actionsOf } from '../../support/actions-of.ts';
import type { MemoryPlatform } from './memory-platform.ts';

const settings: { ACCESS_WHEN_STALE: 'deny' | 'answer' | 'refuse' } = { ACCESS_WHEN_STALE: 'refuse' };
jest.unstable_mockModule('../../../services/access/settings.ts', () => ({ accessSettings: settings }));

const start = Date.parse('2030-01-01T00:00:00.000Z');
const permission = 'shop.orders.read';

let instant = start;
let platform: MemoryPlatform;
let restoreClock: () => void;
let userId: string;
let roleId: string;

beforeAll(async () => {
  restoreClock = setClock(() => new Date(instant));
  const { startMemoryPlatform } = await import('./memory-platform.ts');
  const { default: access } = await import('../../../services/access/access.service.ts');
  const names = ['assignments.', 'check', 'decide', 'explain', 'users.list-permissions', 'permissions.list-users'];
  platform = await startMemoryPlatform(actionsOf(access, ...names));
  platform.apply({ kind: 'permissionsRegistered', permissions: [{ key: permission, description: '' }] });
});
afterAll(async () => {
  await platform.stop();
  restoreClock();
});

beforeEach(() => {
  instant = start;
  Object.assign(platform.state, { isCurrent: true, reaches: true });
  settings.ACCESS_WHEN_STALE = 'refuse';
  [userId, roleId] = [newId('usr'), newId('role')];
  platform.apply({
    kind: 'roleStored',
    role: { id: roleId, name: 'r', description: '', permissions: [permission], includes: [] },
  });
  const membership = { id: newId('asg'), subject: userId, roleId: 'role_member', expiresAt: null };
  platform.apply({ kind: 'assignmentStored', assignment: membership });
});

const assign = (expiresAt?: string) =>
  platform.ask('access.assignments.create', { body: { userId, roleId, expiresAt } });
const check = async (more = {}) =>
  (await platform.ask('access.check', { body: { userId, permission, ...more } })).allowed;
const batch = async () =>
  (await platform.ask('access.check-batch', { body: { checks: [{ userId, permission }] } })).results[0]!.allowed;
const explain = () => platform.ask('access.explain', { body: { userId, permission } });
const lists = [
  () => platform.ask('access.users.list-permissions', { path: { userId }, query: {} }),
  () => platform.ask('access.permissions.list-users', { path: { key: permission }, query: {} }),
];

describe('an assignment that expires', () => {
  test('counts until the millisecond before, and is listed until it is removed', async () => {
    const { assignmentId } = await assign('2030-01-01T01:00:00.000Z');
    const list = () => platform.ask('access.assignments.list-of-user', { path: { userId }, query: {} });
    const keys = async () => (await lists[0]!()).data;
    const holders = async () => (await lists[1]!()).data;
    instant = Date.parse('2030-01-01T00:59:59.999Z');
    expect([await check(), await batch(), (await explain()).allowed]).toEqual([true, true, true]);
    expect(await holders()).toContainEqual({ userId });
    instant += 1;
    expect([await check(), await batch(), (await explain()).allowed]).toEqual([false, false, false]);
    expect(await holders()).not.toContainEqual({ userId });
    expect(await keys()).not.toContainEqual({ key: permission });
    expect((await list()).data).toContainEqual(expect.objectContaining({ assignmentId }));
    expect((await explain()).missing).toMatchObject({
      reason: 'EXPIRED',
      message: expect.stringContaining('2030-01-01T01:00:00.000Z'),
      roles: expect.arrayContaining([roleId]),
    });
    // Assigned anew it is the same, for longer.
    expect(await assign('2030-01-01T02:00:00.000Z')).toMatchObject({ assignmentId });
    expect(await check()).toBe(true);
  });

  test('ends in the future when it is made', async () => {
    for (const past of ['2030-01-01T00:00:00.000Z', '2029-12-31T23:59:59.999Z']) {
      await expect(assign(past)).rejects.toMatchObject({ type: 'INPUT_INVALID' });
    }
    expect(await assign('2030-01-01T00:00:00.001Z')).toMatchObject({ expiresAt: '2030-01-01T00:00:00.001Z' });
  });
});

describe('a node that may have missed a change', () => {
  beforeEach(async () => {
    await assign();
    expect(await check()).toBe(true);
    platform.state.isCurrent = false;
  });

  test('refuses by default', async () => {
    const refused = { type: 'UNAVAILABLE', code: 503, data: { headers: { 'Retry-After': '1' } } };
    for (const asked of [check, batch, explain, ...lists]) await expect(asked()).rejects.toMatchObject(refused);
    platform.state.isCurrent = true;
    expect([await check(), await batch(), (await explain()).allowed]).toEqual([true, true, true]);
  });

  test('denies when the setting says so', async () => {
    settings.ACCESS_WHEN_STALE = 'deny';
    expect([await check(), await batch()]).toEqual([false, false]);
    expect(await explain()).toMatchObject({ allowed: false, because: [], missing: { reason: 'STALE' } });
    for (const list of lists) await expect(list()).rejects.toMatchObject({ type: 'UNAVAILABLE' });
    platform.state.isCurrent = true;
    expect(await check()).toBe(true);
  });

  test('answers by what it knows when the setting says so', async () => {
    settings.ACCESS_WHEN_STALE = 'answer';
    expect([await check(), await batch(), (await explain()).allowed]).toEqual([true, true, true]);
    for (const list of lists) expect((await list()).data.length).toBeGreaterThan(0);
  });
});

test('a check waits for its revision, and is refused when that does not come', async () => {
  await assign();
  expect(await check({ minRevision: 1 })).toBe(true);
  platform.state.reaches = false;
  const refused = { type: 'REVISION_NOT_REACHED', code: 503, data: { headers: { 'Retry-After': '1' } } };
  await expect(check({ minRevision: 1 })).rejects.toMatchObject(refused);
  expect(await check()).toBe(true);
});

test('every check is counted, by its outcome', async () => {
  const counted = async () => {
    const { values } = await register.getSingleMetric('access_checks_total')!.get();
    return Object.fromEntries(values.map(({ labels, value }) => [labels.outcome, value]));
  };
  const before = await counted();
  const checks = [
    { userId, permission },
    { userId, permission: 'storage.read' },
    { userId: ' ', permission },
  ];
  await platform.ask('access.check-batch', { body: { checks } });
  await check();
  expect(await counted()).toEqual({ allowed: before.allowed! + 1, denied: before.denied! + 3 });
});
