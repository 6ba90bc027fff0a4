import { beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import type { Client } from '../../support/client.ts';
import type { Answer, ErrorBody } from '../../support/http.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import type { Tenant } from '../../support/tenants.ts';
import { joinAs, newUserClient, type User } from '../../support/user-client.ts';
import { assigned, makeRole, outcome, refusal } from './assigning.ts';
import { registerKeys, withScopes } from './keys.ts';

type Results = { results: { allowed: boolean }[] };

let tenant: Client & Tenant;
let member: Client & User;
let held: string;
let missing: string;
let revision: number;
beforeAll(async () => {
  tenant = await newTenantClient();
  member = await newUserClient({ orgId: tenant.orgId, role: 'member' });
  [held, missing] = (await registerKeys(tenant, 'orders.read', 'orders.write')) as [string, string];
  const roleId = await makeRole(tenant, [held]);
  ({ revision } = await assigned(tenant, { userId: member.userId, roleId }));
});

const batch = (body: unknown, client: Client = tenant): Promise<Answer<Results & ErrorBody>> =>
  client.send('POST', '/access/check/batch', body);
const about = (permission: string, more: object = {}) => ({ userId: member.userId, permission, ...more });

describe('POST /access/check/batch', () => {
  test('answers every check in its order', async () => {
    const checks = [about(held), about(missing), about(held, { userId: newId('usr') }), about('storage.read')];
    const { status, body } = await batch({ checks });
    expect({ status, body }).toEqual({
      status: 200,
      body: { results: [{ allowed: true }, { allowed: false }, { allowed: false }, { allowed: true }] },
    });
    expect((await batch({ checks: [about(held)], minRevision: revision })).body).toEqual({
      results: [{ allowed: true }],
    });
  });

  test('answers 1,000 checks as it answers each', async () => {
    const checks = Array.from({ length: 1000 }, (_one, place) => about(place % 3 === 0 ? held : missing));
    const { status, body } = await batch({ checks });
    expect(status).toBe(200);
    expect(body.results).toEqual(checks.map(({ permission }) => ({ allowed: permission === held })));
  });

  test.each<[string, () => unknown, string]>([
    ['no checks', () => ({ checks: [] }), 'body.checks'],
    ['1,001 checks', () => ({ checks: Array.from({ length: 1001 }, () => about(held)) }), 'body.checks'],
    ['no list', () => ({ checks: about(held) }), 'body.checks'],
    ['a check without a subject', () => ({ checks: [about(held), { permission: held }] }), 'body.checks.1.userId'],
    ['a check without a permission', () => ({ checks: [{ userId: 'usr_1' }] }), 'body.checks.0.permission'],
    ['a revision of one check', () => ({ checks: [about(held, { minRevision: 1 })] }), 'body.checks.0.minRevision'],
    ['another field', () => ({ checks: [about(held)], orgId: tenant.orgId }), 'body.orgId'],
  ])('refuses %s', async (_name, bodyOf, path) => {
    expect(refusal(await batch(bodyOf()))).toEqual({ status: 400, path });
  });

  test('refuses a body beyond 512 KiB, and takes the longest that is no more', async () => {
    const long = { userId: 'u'.repeat(256), permission: 'p'.repeat(200) };
    expect((await batch({ checks: Array.from({ length: 1000 }, () => long) })).status).toBe(200);
    const longer = { ...long, context: { orgId: 'o'.repeat(256) } };
    expect((await batch({ checks: Array.from({ length: 1000 }, () => longer) })).status).toBe(413);
  });

  test('asks each organization that a check names, and no foreign one', async () => {
    const second = await newTenantClient();
    const user = await newUserClient({ orgId: tenant.orgId, role: 'member' });
    await joinAs(user, { orgId: second.orgId, role: 'admin' });
    const [here, there] = [{ context: { orgId: tenant.orgId } }, { context: { orgId: second.orgId } }];
    const own = { userId: user.userId };
    const checks = [
      about(held, here),
      about(held, there),
      about('mail.send', { ...own, ...here }),
      about('mail.send', { ...own, ...there }),
    ];
    const { body } = await batch({ checks }, user);
    expect(body.results.map(({ allowed }) => allowed)).toEqual([true, false, false, true]);

    // A check that names none is about the caller's own, which these two have not told.
    expect(outcome(await batch({ checks: [...checks, about(held)] }, user))).toBe('400 TENANT_REQUIRED');
    const inTenant = await user.send<Results>(
      'POST',
      '/access/check/batch',
      { checks: [...checks, about(held)] },
      {
        'x-tenant-id': tenant.orgId,
      },
    );
    expect(inTenant.body.results.at(-1)).toEqual({ allowed: true });

    for (const orgId of [second.orgId, newId('org'), 'nonsense']) {
      const foreign = [about(held), about(held, { context: { orgId } })];
      expect(outcome(await batch({ checks: foreign }))).toBe('404 NOT_FOUND');
      expect(outcome(await batch({ checks: foreign.toReversed() }))).toBe('404 NOT_FOUND');
      expect(outcome(await batch({ checks: foreign.slice(1) }))).toBe('404 NOT_FOUND');
    }
  });

  test('waits for the revision of one organization, and of no more', async () => {
    const second = await newTenantClient();
    const user = await newUserClient({ orgId: tenant.orgId, role: 'member' });
    await joinAs(user, { orgId: second.orgId, role: 'member' });
    const checks = [tenant, second].map(({ orgId }) => about(held, { context: { orgId } }));
    expect(refusal(await batch({ checks, minRevision: 1 }, user))).toEqual({ status: 400, path: 'body.minRevision' });
    expect(outcome(await batch({ checks: [about(held)], minRevision: 1e9 }))).toBe('503 REVISION_NOT_REACHED');
  });

  test('is refused without access.check, and without a credential', async () => {
    const checks = [about(held)];
    expect(outcome(await batch({ checks }, await withScopes(tenant, ['console.access.write'])))).toBe(
      '403 PERMISSION_DENIED',
    );
    const nobody = await tenant.send('POST', '/access/check/batch', { checks }, { authorization: null });
    expect(nobody.status).toBe(401);
  });
});
