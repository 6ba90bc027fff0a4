import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import type { InvoiceDocument } from '../../../models/billing/invoice.ts';
import type { AuditRecordDocument } from '../../../models/identity/audit-record.ts';
import { composeDraft } from '../../../services/billing/invoices/issue-invoice.ts';
import type { Client } from '../../support/client.ts';
import { createOAuthClient } from '../../support/oauth-database-client.ts';
import { newOperatorClient } from '../../support/operators.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, type Tenant, withDatabase } from '../../support/tenants.ts';
import { newUserClient, type User } from '../../support/user-client.ts';

let databaseUrl: string;
let operator: Client & User;
let tenant: Client & Tenant;
let owner: Client & User;
let member: Client & User;

beforeAll(async () => {
  databaseUrl = await databaseUrlOf(await sharedPlatform());
  operator = await newOperatorClient();
  tenant = await newTenantClient();
  owner = await newUserClient({ orgId: tenant.orgId });
  member = await newUserClient({ orgId: tenant.orgId, role: 'member' });
});

const slug = () => tenant.orgId.replace('_', '-');
const recordsOf = (action: string) =>
  withDatabase(databaseUrl, (database) =>
    database
      .collection<AuditRecordDocument>('identity_audit_records')
      .find({ orgId: tenant.orgId, action }, { sort: { _id: 1 } })
      .toArray(),
  );
const byOperator = () => ({ type: 'operator', id: operator.userId, credentialId: operator.sessionId });

describe('GET /operator/organizations', () => {
  const search = async (text: string) =>
    (await operator.call('identity.operator.organizations.list', { query: { search: text } })).data.map(({ id }) => id);

  test('finds an organization by its id, the beginning of its slug, and a member’s address', async () => {
    expect(await search(tenant.orgId)).toEqual([tenant.orgId]);
    expect(await search(slug().slice(0, -2))).toContain(tenant.orgId);
    expect(await search(slug().toUpperCase())).toEqual([tenant.orgId]);
    expect(await search(member.email)).toEqual([tenant.orgId]);
    expect(await search(` ${member.email.toUpperCase()} `)).toEqual([tenant.orgId]);
  });

  test.each(['org_unknown', 'nobody@example.com', '$ne', '__proto__', '\u{10ffff}', '<b>'])(
    'finds nothing for %j',
    async (text) => {
      expect(await search(text)).toEqual([]);
    },
  );

  test('tells members, plan and trust', async () => {
    const { data } = await operator.call('identity.operator.organizations.list', { query: { search: tenant.orgId } });
    const shown = { slug: slug(), members: 2, plan: 'free', status: 'active', isTrusted: false, suspension: null };
    expect(data).toEqual([{ id: tenant.orgId, name: expect.any(String), createdAt: expect.any(String), ...shown }]);
  });

  test('continues behind its cursor, the newest first, and sorted by slug in a search', async () => {
    await newTenantClient();
    for (const text of ['', 'org-']) {
      const query = { search: text, limit: '1' };
      const first = await operator.call('identity.operator.organizations.list', { query });
      const cursor = first.nextCursor!;
      const second = await operator.call('identity.operator.organizations.list', { query: { ...query, cursor } });
      const key = text === '' ? ('id' as const) : ('slug' as const);
      const [one, other] = [first.data[0]![key], second.data[0]![key]];
      expect(text === '' ? one > other : one < other).toBe(true);
    }
    const wrong = await operator.attempt('identity.operator.organizations.list', { query: { cursor: 'x' } });
    expect(wrong).toMatchObject({ status: 400, body: { error: 'CURSOR_INVALID' } });
  });

  test('examines no more keys of an index than it shows organizations', async () => {
    const examined = (filter: object, sort: Record<string, 1 | -1>) =>
      withDatabase(databaseUrl, async (database) => {
        const found = database.collection('identity_organizations').find(filter, { sort, limit: 3 });
        return (await found.explain('executionStats')).executionStats.totalKeysExamined as number;
      });
    await newTenantClient();
    expect(await examined({ status: 'active' }, { _id: -1 })).toBeLessThanOrEqual(4);
    expect(await examined({ slug: { $gte: 'org-', $lt: 'org.' }, status: 'active' }, { slug: 1 })).toBeLessThanOrEqual(
      4,
    );
  });
});

describe('GET /operator/organizations/:orgId', () => {
  test('reads owners and usage', async () => {
    const { body, status } = await operator.attempt('identity.operator.organizations.read', {
      path: { orgId: tenant.orgId },
    });
    expect(status).toBe(200);
    expect(body.owners).toEqual([{ userId: owner.userId, email: owner.email }]);
    expect(body.usage!.find(({ meter }) => meter.endsWith('eventsPerDay'))).toMatchObject({
      used: 0,
      limit: expect.any(Number),
    });
  });

  test.each([newId('org'), 'x', '$ne'])('does not know %s', async (orgId) => {
    const paths = ['', '/oauth-clients', '/audit-log', '/invoices'];
    for (const path of paths) {
      const { status, body } = await operator.send('GET', `/operator/organizations/${orgId}${path}`);
      expect({ path, status, error: body.error }).toEqual({ path, status: 404, error: 'NOT_FOUND' });
    }
    expect((await operator.send('PUT', `/operator/organizations/${orgId}/plan`, { plan: 'pro' })).status).toBe(404);
    expect((await operator.send('PATCH', `/operator/organizations/${orgId}`, { isTrusted: true })).status).toBe(404);
  });
});

test('the trust of an organization changes, with the operator in its audit log', async () => {
  const path = { orgId: tenant.orgId };
  const change = (isTrusted: boolean) =>
    operator.call('identity.operator.organizations.update', { path, body: { isTrusted } });
  expect(await change(true)).toMatchObject({ isTrusted: true });
  expect(await change(false)).toMatchObject({ isTrusted: false });
  expect(await recordsOf('organization.trusted')).toMatchObject([{ actor: byOperator(), address: expect.any(String) }]);
  expect(await recordsOf('organization.untrusted')).toMatchObject([{ actor: byOperator() }]);
  const { body } = await owner.send<{ data: { action: string; actor: object }[] }>(
    'GET',
    `/organizations/${slug()}/audit-log?action=organization.trusted`,
  );
  // The organization is not told where the platform's staff works.
  expect(body.data).toMatchObject([{ actor: byOperator(), address: null, userAgent: null }]);
  const log = await operator.call('identity.operator.audit.list', { path, query: { limit: '1' } });
  expect(log).toMatchObject({ data: [{ action: 'organization.untrusted' }], nextCursor: expect.any(String) });
});

test('an OAuth client becomes first-party, in its own organization only', async () => {
  const { clientId } = await createOAuthClient(databaseUrl, tenant, { redirectUris: ['https://shop.example/cb'] });
  const { orgId } = tenant;
  const list = async () =>
    (await operator.call('identity.operator.oauth-clients.list', { path: { orgId }, query: {} })).data;
  expect(await list()).toMatchObject([{ clientId, origins: ['https://shop.example'], isFirstParty: false }]);
  const body = { isFirstParty: true };
  const other = { orgId: (await newTenantClient()).orgId, clientId };
  const refused = await operator.attempt('identity.operator.oauth-clients.update', { path: other, body });
  expect(refused.status).toBe(404);
  expect(await list()).toMatchObject([{ isFirstParty: false }]);
  await operator.call('identity.operator.oauth-clients.update', { path: { orgId, clientId }, body });
  expect(await list()).toMatchObject([{ isFirstParty: true }]);
  expect(await recordsOf('oauth-client.updated')).toMatchObject([{ actor: byOperator(), after: body }]);
});

test('a plan is given without payment', async () => {
  const path = { orgId: tenant.orgId };
  const given = await operator.call('billing.operator.plan.give', { path, body: { plan: 'pro' } });
  expect(given).toMatchObject({ plan: 'pro', status: 'active', gatewaySubscriptionId: null });
  expect(await recordsOf('subscription.given')).toMatchObject([{ actor: byOperator(), after: { plan: 'pro' } }]);
  const wrong = await operator.attempt('billing.operator.plan.give', { path, body: { plan: 'gold' } });
  expect(wrong.status).toBe(400);
  expect(await owner.call('billing.subscription.read', { path })).toMatchObject({ plan: 'pro' });
});

describe('POST /operator/organizations/:orgId/invoices/:invoiceId/pay', () => {
  const party = { name: 'A shop', address: [], taxId: null };
  const lines = [{ description: 'Pro, monthly', quantity: 1, unitAmount: 4900, period: null }];

  async function newInvoice(status: InvoiceDocument['status']): Promise<string> {
    const order = { orgId: tenant.orgId, key: `operator ${status}`, currency: 'eur' as const, buyer: party, lines };
    const draft = composeDraft(order, { seller: party, prefix: '', taxRate: null });
    await withDatabase(databaseUrl, (database) =>
      database.collection<InvoiceDocument>('billing_invoices').insertOne({ ...draft, status }),
    );
    return draft._id;
  }

  const pay = (invoiceId: string, orgId = tenant.orgId, client: Client = operator) =>
    client.attempt('billing.operator.invoices.pay', { path: { orgId, invoiceId } });

  test('marks an open invoice once, in the log of its organization', async () => {
    const invoiceId = await newInvoice('open');
    expect((await pay(invoiceId, (await newTenantClient()).orgId)).status).toBe(404);
    expect((await pay(invoiceId, tenant.orgId, owner)).status).toBe(403);
    const listed = () => operator.call('billing.operator.invoices.list', { path: { orgId: tenant.orgId }, query: {} });
    expect((await listed()).invoices).toMatchObject([{ invoiceId, status: 'open' }]);
    expect(await pay(invoiceId)).toMatchObject({ status: 200, body: { status: 'paid', paidAt: expect.any(String) } });
    expect(await pay(invoiceId)).toMatchObject({ status: 200, body: { status: 'paid' } });
    expect((await listed()).invoices).toMatchObject([{ invoiceId, status: 'paid' }]);
    expect(await recordsOf('invoice.paid')).toMatchObject([{ actor: byOperator(), target: { id: invoiceId } }]);
  });

  test.each(['void', 'draft'] as const)('is refused for one that is %s', async (status) => {
    const invoiceId = await newInvoice(status);
    expect(await pay(invoiceId)).toMatchObject({ status: 409, body: { error: 'CONFLICT' } });
    const { invoices } = await operator.call('billing.operator.invoices.list', {
      path: { orgId: tenant.orgId },
      query: {},
    });
    expect(invoices.find((one) => one.invoiceId === invoiceId)).toMatchObject({ status, paidAt: null });
  });
});

describe('GET /operator/users', () => {
  const search = async (text: string) =>
    (await operator.call('identity.operator.users.list', { query: { search: text } })).data;

  test('finds a user by id and by the beginning of the address, with the organizations', async () => {
    const { orgId } = tenant;
    const shown = { id: member.userId, email: member.email, name: null, isOperator: false, lastLoginAt: null };
    const found = { ...shown, createdAt: expect.any(String) };
    const organizations = [{ id: orgId, slug: slug(), name: expect.any(String), role: 'member' }];
    expect(await search(member.userId)).toEqual([{ ...found, organizations }]);
    expect(await search(member.email.slice(0, 12).toUpperCase())).toEqual([{ ...found, organizations }]);
    expect(await search(operator.userId)).toMatchObject([{ isOperator: true, organizations: [] }]);
  });

  test('finds an address in any form that its owner may type', async () => {
    const local = `zoë.${randomBytes(6).toString('hex')}`;
    const { userId } = await newUserClient({ email: `${local}@xn--bcher-kva.example` });
    const typed = [
      `${local.normalize('NFD').toUpperCase()}@BÜCHER.example`,
      `${local}@bücher.`,
      `${local}@bücher.example.`,
    ];
    for (const text of typed) expect(await search(text)).toMatchObject([{ id: userId }]);
  });

  test.each(['usr_unknown', '$ne', '\u{10ffff}', '@'])('finds nobody for %j', async (text) => {
    expect(await search(text)).toEqual([]);
  });

  test('continues behind its cursor', async () => {
    const query = { limit: '1' };
    const first = await operator.call('identity.operator.users.list', { query });
    const second = await operator.call('identity.operator.users.list', {
      query: { ...query, cursor: first.nextCursor! },
    });
    expect(first.data[0]!.id > second.data[0]!.id).toBe(true);
  });
});
