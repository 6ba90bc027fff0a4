import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import access from '../../../services/access/access.service.ts';
import { actionsOf } from '../../support/actions-of.ts';
import { typeCommand } from '../../support/console-command.ts';
import { type MemoryPlatform, startMemoryPlatform } from './memory-platform.ts';

const key = 'shop.orders.read';

let platform: MemoryPlatform;
let userId: string;
let inner: string;
let outer: string;
beforeAll(async () => {
  platform = await startMemoryPlatform({
    ...actionsOf(access, 'check', 'decide', 'explain', 'users.list-permissions', 'permissions.list-users'),
    ...actionsOf(access, 'console.'),
  });
  [userId, inner, outer] = [newId('usr'), newId('role'), newId('role')];
  platform.apply({ kind: 'permissionsRegistered', permissions: [{ key, description: '' }] });
  const role = { description: '', permissions: [key], includes: [] };
  platform.apply({ kind: 'roleStored', role: { ...role, id: inner, name: 'Reads "orders"' } });
  platform.apply({ kind: 'roleStored', role: { ...role, id: outer, name: 'All', permissions: [], includes: [inner] } });
  assign('role_member');
});
afterAll(async () => {
  await platform.stop();
});

function assign(roleId: string, expiresAt: number | null = null): string {
  const id = newId('asg');
  platform.apply({ kind: 'assignmentStored', assignment: { id, subject: userId, roleId, expiresAt } });
  return id;
}

const type = (name: string, args: Record<string, string>): Promise<string> => typeCommand(platform.broker, name, args);

describe('the console', () => {
  test('says who holds a permission', async () => {
    const ask = (given: string) => type('access:who-can', { key: given, organization: platform.orgId });
    expect(await ask(key)).toMatch(
      new RegExp(`^Holders of ${key} in ${platform.orgId} at revision \\d+: users 0, applications 0\\.\n$`),
    );
    const id = assign(outer);
    expect(await ask(key)).toMatch(new RegExp(`: users 1, applications 0\\.\n${userId}\n$`));
    platform.apply({ kind: 'assignmentRemoved', assignmentId: id });
    expect(await ask('never.registered')).toBe(`${platform.orgId} has no permission never.registered.\n`);
  });

  test('says why somebody holds a permission, and why not', async () => {
    const ask = (user = userId) => type('access:why', { user, key, organization: platform.orgId });
    const denied = await ask();
    expect(denied).toMatch(`${userId} does not hold ${key}`);
    expect(denied).toMatch('NOT_GRANTED');
    expect(denied).toMatch(`Would be granted by ${inner} "Reads \\"orders\\"".`);
    const id = assign(outer, Date.parse('2090-01-01T00:00:00.000Z'));
    const allowed = await ask();
    expect(allowed).toMatch(`${userId} holds ${key}`);
    expect(allowed).toMatch(
      `By ${id}: ${outer} "All" → ${inner} "Reads \\"orders\\"", until 2090-01-01T00:00:00.000Z.`,
    );
    platform.apply({ kind: 'assignmentRemoved', assignmentId: id });
    expect(await ask('usr_unknown')).toMatch('SUBJECT_UNKNOWN');
  });

  test('describes the graph of an organization', async () => {
    const said = await type('access:graph', { organization: platform.orgId });
    expect(said).toMatch(`${platform.orgId} is at revision ${platform.graph.revision} on `);
    expect(said).toMatch('Own permissions 1, own roles 2');
    expect(said).toMatch(`${outer} "All": permissions 0, includes ${inner}`);
    platform.state.isCurrent = false;
    expect(await type('access:graph', { organization: platform.orgId })).toMatch('not confirmed');
    platform.state.isCurrent = true;
  });

  test('knows no organization that is none, and survives nonsense', async () => {
    const organization = 'org_unknown';
    for (const said of [
      await type('access:who-can', { key, organization }),
      await type('access:why', { user: userId, key, organization }),
      await type('access:graph', { organization }),
    ]) {
      expect(said).toBe('There is no organization org_unknown.\n');
    }
    expect(await type('access:graph', { organization: 'x'.repeat(300) })).toMatch('at most 256 characters');
  });
});
