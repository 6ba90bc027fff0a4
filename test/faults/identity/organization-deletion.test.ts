import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import { newId } from '../../../lib/data/ids.ts';
import { startDeadlyProxy } from '../../integration/identity/deadly-proxy.ts';
import { type Client, clientOf } from '../../support/client.ts';
import { eventAbout } from '../../support/events.ts';
import type { Answer, ErrorBody } from '../../support/http.ts';
import { startNode, startPlatform } from '../../support/platform.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { createTenant, databaseUrlOf, introduce, type Tenant, withDatabase } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';
import { untilSettled } from '../../support/until-settled.ts';
import { newUserAgent } from '../../support/user-agent.ts';
import { createUser, sessionClientOf, type User } from '../../support/user-client.ts';

/** An organization with everything that one can have. */
type Party = {
  tenant: Client & Tenant;
  owner: Client & User;
  admin: Client & User;
  slug: string;
  /** Calls with a token of its OAuth client. */
  machine: Client;
  /** Every document that names it, by collection. */
  stored: () => Promise<Record<string, Record<string, unknown>[]>>;
};

async function newParty(url: string, databaseUrl: string): Promise<Party> {
  introduce(databaseUrl, { url });
  const made = await createTenant(databaseUrl);
  const { orgId } = made;
  const tenant = { ...made, ...clientOf({ url, ...made }) };
  const [owner, admin] = [
    await createUser(databaseUrl, { orgId }),
    await createUser(databaseUrl, { orgId, role: 'admin' }),
  ];
  const slug = orgId.replace('_', '-');
  await tenant.call('identity.invitations.create', {
    path: { slug },
    body: { email: `${newId('usr').replace('_', '-')}@example.com`, role: 'member' },
  });
  await tenant.call('context.events.create', { body: eventAbout(orgId, `customer-${orgId}`) });
  await tenant.call('context.story.read', { path: { customerId: `customer-${orgId}` }, query: {} });
  await untilSettled(databaseUrl, orgId);
  return {
    tenant,
    owner: { ...sessionClientOf(url, owner.sessionToken), ...owner },
    admin: { ...sessionClientOf(url, admin.sessionToken), ...admin },
    slug,
    machine: clientOf({ ...tenant, apiKey: await tokenOf(tenant) }),
    stored: () => readStored(databaseUrl, orgId),
  };
}

async function tokenOf(tenant: Client & Tenant): Promise<string> {
  const slug = tenant.applicationId.replace('_', '-');
  const body = { grantTypes: ['client_credentials'], scopes: ['svc:read'] };
  const client = await tenant.send<{ clientId: string; clientSecret: string }>(
    'POST',
    `/applications/${slug}/oauth-client`,
    body,
  );
  const basic = Buffer.from(`${client.body.clientId}:${client.body.clientSecret}`).toString('base64');
  const answer = await tenant.send<{ access_token: string }>(
    'POST',
    '/oauth2/token',
    'grant_type=client_credentials&scope=svc:read',
    { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded', 'x-tenant-id': null },
  );
  expect(answer.status).toBe(200);
  return answer.body.access_token;
}

function readStored(databaseUrl: string, orgId: string): Promise<Record<string, Record<string, unknown>[]>> {
  return withDatabase(databaseUrl, async (database) => {
    const collections = await database.listCollections().toArray();
    // The work itself is kept until it is done a second time; when keys were used is kept with the keys.
    const aside = ['identity_deletions', 'identity_api_key_uses'];
    const names = collections.map(({ name }) => name).filter((name) => !aside.includes(name));
    const found: Record<string, Record<string, unknown>[]> = {};
    for (const name of names.sort()) {
      const documents = await database
        .collection<{ _id: string }>(name)
        .find({ $or: [{ orgId }, { _id: orgId }] }, { projection: { lastUsedAt: 0 } })
        .sort({ _id: 1 })
        .toArray();
      if (documents.length > 0) found[name] = documents;
    }
    return found;
  });
}

const outcome = ({ status, body }: Answer<ErrorBody>) =>
  `${status} ${body?.error ?? body?.details?.[0]?.path ?? ''}`.trim();
const remove = (client: Client, slug: string, confirm: string | null = slug) =>
  client.send<ErrorBody & { status: string }>(
    'DELETE',
    `/organizations/${slug}${confirm === null ? '' : `?confirm=${confirm}`}`,
  );

/**
 * What stays of a deleted organization: its slug, its log, the keys as a record, none of which works, that its access and
 * its subscription ended, so that they never begin again, and that it was erased, for a restored database.
 */
async function expectTombstone({ stored, slug }: Party): Promise<void> {
  const left = await stored();
  expect(Object.keys(left)).toEqual(kept);
  expect(left.access_heads).toMatchObject([{ closed: true }]);
  expect(new Set(left.access_changes?.map(({ change }) => JSON.stringify(change)))).toEqual(
    new Set([JSON.stringify({ kind: 'closed' })]),
  );
  expect(left.billing_subscriptions).toMatchObject([{ subscription: { status: 'canceled' }, effects: [] }]);
  expect(left.platform_erasures).toMatchObject([{ kind: 'organization', identifiers: null }]);
  expect(left.identity_organizations).toMatchObject([{ slug, name: '', status: 'deleted' }]);
  expect(left.identity_api_keys?.every(({ revokedAt }) => revokedAt !== null)).toBe(true);
  expect(left.identity_audit_records?.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['organization.deleted', 'organization.erased']),
  );
}

const kept = [
  'access_changes',
  'access_heads',
  'billing_subscriptions',
  'identity_api_keys',
  'identity_audit_records',
  'identity_organizations',
  'platform_erasures',
];

/**
 * What is stored of an organization but what sweeps write: the days that its events and its log are kept, and that no
 * reservation of a counter is due any more, five minutes after the last one. Refused requests are logged a second later.
 */
async function storedByClients({ stored }: Party): Promise<Record<string, Record<string, unknown>[]>> {
  const {
    context_retentions: _events,
    identity_audit_retentions: _log,
    identity_failed_requests: _refused,
    billing_counters = [],
    ...rest
  } = await stored();
  return {
    ...rest,
    billing_counters: billing_counters.map(({ dueAt: _due, revision: _revision, ...counter }) => counter),
  };
}

const isDeleted = async ({ stored }: Party): Promise<boolean> =>
  (await stored()).identity_organizations?.[0]?.status === 'deleted';

describe('DELETE /organizations/:slug', () => {
  test('ends all that the organization can do at once, removes it, and touches nobody else', async () => {
    const platform = await sharedPlatform();
    const databaseUrl = await databaseUrlOf(platform);
    const [party, neighbour] = [await newParty(platform.url, databaseUrl), await newParty(platform.url, databaseUrl)];
    const before = await storedByClients(neighbour);
    const { tenant, owner, admin, slug, machine } = party;
    const { status, body } = await remove(owner, slug);
    expect({ status, body }).toEqual({ status: 202, body: { status: 'deleting' } });
    for (const client of [tenant, machine]) {
      await until(async () => (await client.send('GET', '/identity/me')).status === 401);
    }
    for (const user of [owner, admin]) {
      expect((await user.send('GET', `/organizations/${slug}`)).status).toBe(404);
      expect((await user.send('GET', '/organizations')).body).toMatchObject({ data: [] });
      expect((await user.send('GET', '/applications', undefined, { 'x-tenant-id': tenant.orgId })).status).toBe(403);
    }
    expect(outcome(await remove(owner, slug))).toBe('404 NOT_FOUND');
    await until(() => isDeleted(party));
    await expectTombstone(party);
    expect(outcome(await owner.send('POST', '/organizations', { name: 'Again', slug }))).toBe('409 SLUG_TAKEN');
    expect(await storedByClients(neighbour)).toEqual(before);
    expect((await neighbour.machine.send('GET', '/identity/me')).status).toBe(200);
    expect((await neighbour.admin.send('GET', `/organizations/${neighbour.slug}`)).status).toBe(200);
  });

  test('ends what the organization pays for, and keeps its invoices', async () => {
    const platform = await sharedPlatform();
    const party = await newParty(platform.url, await databaseUrlOf(platform));
    const { tenant, owner, slug } = party;
    const purchase = { plan: 'pro', billingCycle: 'monthly', successUrl: '/account', cancelUrl: '/account' };
    const path = `/v1/orgs/${tenant.orgId}/checkout`;
    const { body } = await tenant.send<{ checkoutUrl: string }>('POST', path, purchase);
    const payer = newUserAgent(platform.url);
    await payer.submit(await payer.open(body.checkoutUrl), {}, /^Pay .*\d/);
    await until(async () => (await party.stored()).billing_invoices?.[0]?.status === 'paid');
    await tenant.send('POST', path, { ...purchase, plan: 'scale' });
    await remove(owner, slug);
    await until(() => isDeleted(party));
    const left = await party.stored();
    expect(Object.keys(left).filter((name) => name.startsWith('billing_'))).toEqual([
      'billing_checkouts',
      'billing_invoices',
      'billing_subscriptions',
      'billing_test_outcomes',
      'billing_test_subscriptions',
    ]);
    expect(left.billing_invoices).toMatchObject([{ status: 'paid', amount: 4900 }]);
    expect(left.billing_test_subscriptions).toMatchObject([{ isEnded: true }]);
    expect(left.billing_checkouts?.map(({ status }) => status).sort()).toEqual(['closed', 'completed']);
    expect(left.billing_subscriptions).toMatchObject([{ subscription: { plan: 'free', status: 'canceled' } }]);
  });

  test('is refused to whoever is no owner, or does not repeat the slug, and changes nothing', async () => {
    const platform = await sharedPlatform();
    const databaseUrl = await databaseUrlOf(platform);
    const party = await newParty(platform.url, databaseUrl);
    const stranger = await newParty(platform.url, databaseUrl);
    const { tenant, owner, admin, slug } = party;
    const before = await storedByClients(party);
    expect(outcome(await remove(owner, slug, null))).toBe('400 INPUT_INVALID');
    expect((await remove(owner, slug, null)).body.details?.[0]?.path).toBe('query.confirm');
    expect(outcome(await remove(owner, slug, slug.toUpperCase()))).toBe('400 INPUT_INVALID');
    expect(outcome(await remove(admin, slug))).toBe('403 OWNER_REQUIRED');
    expect(outcome(await remove(tenant, slug))).toBe('403 USER_REQUIRED');
    expect(outcome(await remove(stranger.owner, slug))).toBe('404 NOT_FOUND');
    const foreign = await owner.send('DELETE', `/organizations/${slug}?confirm=${slug}`, undefined, {
      origin: 'https://evil.example',
    });
    expect(outcome(foreign)).toBe('403 ORIGIN_REFUSED');
    expect(await storedByClients(party)).toEqual(before);
  });

  test('asked for many times at once is one deletion, and leaves nothing that was made meanwhile', async () => {
    const platform = await sharedPlatform();
    const party = await newParty(platform.url, await databaseUrlOf(platform));
    const { tenant, owner, slug } = party;
    const keys = `/applications/${tenant.applicationId}/api-keys`;
    const making = Array.from({ length: 40 }, (_one, place) => {
      if (place % 3 === 0) return tenant.send('POST', keys, { name: 'late', scopes: ['svc:read'] });
      if (place % 3 === 1)
        return tenant.send('POST', '/applications', { name: 'Late', slug: newId('app').replace('_', '-') });
      return owner.send('POST', `/organizations/${slug}/invitations`, {
        email: `${newId('usr').replace('_', '-')}@example.com`,
        role: 'member',
      });
    });
    const answers = await Promise.all(Array.from({ length: 10 }, () => remove(owner, slug)));
    expect(answers.map(({ status }) => status).filter((status) => status !== 202 && status !== 404)).toEqual([]);
    const made = await Promise.all(making);
    expect(made.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
    await until(() => isDeleted(party));
    await until(async () => Object.keys(await party.stored()).length === kept.length);
    await expectTombstone(party);
    const deletions = (await party.stored()).identity_audit_records?.filter(
      ({ action }) => action === 'organization.deleted',
    );
    expect(deletions).toHaveLength(1);
  });

  test('is completed after its process was killed between its steps', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'deletion-'));
    const server = await startEmbeddedMongo({ dir: join(folder, 'mongo'), port: 0 });
    let recordsUntilDeath = Number.POSITIVE_INFINITY;
    let kill = (): void => undefined;
    const proxy = await startDeadlyProxy(server.url, ({ name }) => {
      if (name !== 'update identity_deletions') return 'forward';
      recordsUntilDeath -= 1;
      if (recordsUntilDeath > 0) return 'forward';
      kill();
      return 'drop';
    });
    const secretKey = 'the-same-secret-key-for-every-process-here';
    const env = { SECRET_KEY: secretKey, MONGO_URL: proxy.url, DEV_MAILBOX: 'yes' };
    const deletions = () =>
      withDatabase(server.url, (database) => database.collection('identity_deletions').find().toArray());

    const first = await startPlatform({ env, dataDir: folder });
    kill = () => void first.kill();
    const [party, neighbour] = [await newParty(first.url, server.url), await newParty(first.url, server.url)];
    const before = await storedByClients(neighbour);
    // Between what a step does and the record of it.
    recordsUntilDeath = 6;
    await expect(remove(party.owner, party.slug)).rejects.toThrow();
    expect(await first.exited).toBeNull();
    expect(await deletions()).toMatchObject([
      { kind: 'organization', completedSteps: ['organization', 'applications'] },
    ]);

    const resume = async (deathAfter: number) => {
      await withDatabase(server.url, (database) =>
        database.collection('identity_deletions').updateMany({}, { $set: { leaseUntil: new Date(0) } }),
      );
      recordsUntilDeath = deathAfter;
      const node = startNode({ env, dataDir: folder });
      kill = () => void node.kill();
      return node;
    };
    const second = await resume(9);
    expect(await second.exited).toBeNull();
    expect(await deletions()).toHaveLength(1);
    expect(await isDeleted(party)).toBe(false);

    const third = await resume(Number.POSITIVE_INFINITY);
    // A step that fails on a busy machine is repeated when its lease has ended, up to two minutes later.
    const isComplete = async () => (await isDeleted(party)) && (await deletions())[0]?.isRepetition === true;
    await until(isComplete, 150_000).catch((error: Error) => {
      throw new Error(`${error.message}\n${third.output().slice(-8000)}`);
    });
    await expectTombstone(party);
    // What was on its way meanwhile is found when all is done once more.
    await third.stop();
    const { _id, ...late } = { _id: newId('evt'), orgId: party.tenant.orgId, eventId: 'late', pending: false };
    await withDatabase(server.url, (database) =>
      database.collection<{ _id: string }>('context_events').insertOne({ _id, ...late }),
    );
    const fourth = await resume(Number.POSITIVE_INFINITY);
    await until(async () => (await deletions()).length === 0, 150_000);
    await expectTombstone(party);
    expect(await storedByClients(neighbour)).toEqual(before);
    await fourth.stop();
    await proxy.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }, 480_000);
});
