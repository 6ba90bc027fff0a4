import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import { newApiKeyToken } from '../../../lib/security/api-key.ts';
import type { PlanName } from '../../../models/billing/sold-version.ts';
import type { ApiKeyDocument } from '../../../models/identity/api-key.ts';
import type { ReservationDocument } from '../../../models/identity/reservation.ts';
import { limitsOfPlan } from '../../../services/billing/plans/plans.actions.ts';
import { toApiKeyDocument } from '../../../services/identity/new-api-key.ts';
import type { Client } from '../../support/client.ts';
import type { Answer, ErrorBody } from '../../support/http.ts';
import { putOnPlan } from '../../support/plans.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { changeApiKey, databaseUrlOf, type Tenant, withDatabase } from '../../support/tenants.ts';
import { until, untilAnswered } from '../../support/until.ts';
import { newUserClient } from '../../support/user-client.ts';
import { readAll } from '../access/keys.ts';

type Refused = ErrorBody & { upgradeUrl?: string };
type Made = Answer<Refused & { id: string; slug: string }>;
type TenantClient = Client & Tenant;

const free = limitsOfPlan('free');
const minute = 60_000;

const times = (count: number): number[] => Array.from({ length: count }, (_, number) => number);
const newSlug = (): string => newId('app').replace('_', '-');
const databaseUrl = async (): Promise<string> => databaseUrlOf(await sharedPlatform());

/** Has something made once, however busy the platform is with the others. */
function make(client: Client, path: string, body: object): Promise<Made> {
  const headers = { 'Idempotency-Key': randomUUID() };
  return untilAnswered(() => client.send<Made['body']>('POST', path, body, headers));
}
const newApplication = (client: Client, slug = newSlug()): Promise<Made> =>
  make(client, '/applications', { name: 'An application', slug });
const newKey = (tenant: TenantClient, more: object = {}): Promise<Made> =>
  make(tenant, `/applications/${tenant.applicationId}/api-keys`, {
    name: 'A key',
    scopes: ['context.story.read'],
    ...more,
  });
const newClient = (client: Client, slug: string): Promise<Answer<Refused>> =>
  make(client, `/applications/${slug}/oauth-client`, {
    grantTypes: ['client_credentials'],
    scopes: ['context.story.read'],
  });
const newOrganization = (client: Client): Promise<Made> =>
  make(client, '/organizations', { name: 'An organization', slug: newId('org').replace('_', '-') });

function statusesOf(answers: Answer<unknown>[]): Record<number, number> {
  const counted: Record<number, number> = {};
  for (const { status } of answers) counted[status] = (counted[status] ?? 0) + 1;
  return counted;
}

const refusedOf = <T>(answers: Answer<T>[]): Answer<T> => answers.find(({ status }) => status !== 201)!;
const madeOf = <T>(answers: Answer<T>[]): Answer<T>[] => answers.filter(({ status }) => status === 201);

function expectRefusal({ status, body }: Answer<Refused>, { orgId }: Tenant, what: string): void {
  expect({ status, ...body }).toEqual({
    status: 402,
    error: 'PLAN_LIMIT_EXCEEDED',
    message: `The organization’s plan allows ${what}; remove some, or upgrade for more.`,
    requestId: expect.any(String),
    upgradeUrl: expect.stringContaining(`/console/billing?orgId=${orgId}`),
  });
}

async function change(tenant: Tenant, plan: PlanName): Promise<void> {
  await putOnPlan(await databaseUrl(), tenant.orgId, plan);
}

/** Puts keys into the database as if they had been made before. */
async function seedKeys({ orgId, applicationId }: Tenant, count: number): Promise<ApiKeyDocument[]> {
  const shared = { orgId, applicationId, name: 'A key', scopes: ['context.story.read'] };
  const keys = times(count).map(() => toApiKeyDocument({ ...shared, _id: newId('key'), token: newApiKeyToken() }));
  await withDatabase(await databaseUrl(), (database) =>
    database.collection<ApiKeyDocument>('identity_api_keys').insertMany(keys),
  );
  return keys;
}

/** Leaves a reservation behind the last one, as a process does that dies before it closes it. */
async function leaveReservation({ orgId }: Tenant, resourceId: string, createdAt: Date): Promise<void> {
  await withDatabase(await databaseUrl(), async (database) => {
    const reservations = database.collection<ReservationDocument>('identity_reservations');
    const [kind, holderId] = ['apiKeys' as const, orgId];
    const last = await reservations.findOne({ holderId, kind }, { sort: { number: -1 } });
    const number = (last?.number ?? 0) + 1;
    const _id = `${holderId}:${kind}:${number}`;
    await reservations.insertOne({ _id, holderId, kind, number, resourceId, isOpen: true, createdAt });
  });
}

describe('applications', () => {
  test('are as many as the plan allows, however many ask for more at once', async () => {
    const tenant = await newTenantClient();
    const answers = await Promise.all(times(30).map(() => newApplication(tenant)));
    // A test's organization has one already.
    expect(statusesOf(answers)).toEqual({ 201: free.applications - 1, 402: 31 - free.applications });
    expectRefusal(refusedOf(answers), tenant, '10 applications');
    expect(await readAll(tenant, '/applications')).toHaveLength(free.applications);
  });

  test('that were deleted, or refused for their slug, do not count', async () => {
    const tenant = await newTenantClient();
    const made = madeOf(await Promise.all(times(8).map(() => newApplication(tenant))));
    const taken = await Promise.all(times(5).map(() => newApplication(tenant, made[0]!.body.slug)));
    expect(statusesOf(taken)).toEqual({ 409: 5 });
    expect((await newApplication(tenant)).status).toBe(201);
    expect((await newApplication(tenant)).status).toBe(402);
    expect((await tenant.send('DELETE', `/applications/${made[1]!.body.slug}`)).status).toBe(204);
    expect(statusesOf(await Promise.all(times(4).map(() => newApplication(tenant))))).toEqual({ 201: 1, 402: 3 });
  });

  test('beyond the limit stay after a downgrade, to be changed and deleted', async () => {
    const tenant = await newTenantClient({ plan: 'pro' });
    const made = madeOf(await Promise.all(times(11).map(() => newApplication(tenant))));
    expect(made).toHaveLength(11);
    await change(tenant, 'free');
    await until(async () => (await newApplication(tenant)).status === 402);
    const before = await readAll(tenant, '/applications');
    const path = `/applications/${made[0]!.body.slug}`;
    expect((await tenant.send('PATCH', path, { name: 'Another' })).status).toBe(200);
    expect((await tenant.send('DELETE', path)).status).toBe(204);
    expectRefusal(await newApplication(tenant), tenant, '10 applications');
    expect(await readAll(tenant, '/applications')).toHaveLength(before.length - 1);
  });
});

describe('API keys', () => {
  test('are as many as the plan allows, however many ask for more at once', async () => {
    const tenant = await newTenantClient();
    await seedKeys(tenant, free.apiKeys - 5);
    const answers = await Promise.all(times(25).map(() => newKey(tenant)));
    expect(statusesOf(answers)).toEqual({ 201: 4, 402: 21 });
    expectRefusal(refusedOf(answers), tenant, '50 API keys');
    expect(await readAll(tenant, `/applications/${tenant.applicationId}/api-keys`)).toHaveLength(free.apiKeys);
  });

  test('that were revoked or have expired do not count', async () => {
    const tenant = await newTenantClient();
    const [expired, revoked] = await seedKeys(tenant, free.apiKeys - 1);
    expect((await newKey(tenant)).status).toBe(402);
    const path = `/applications/${tenant.applicationId}/api-keys/${revoked!._id}`;
    expect((await tenant.send('DELETE', path)).status).toBe(204);
    await changeApiKey(await databaseUrl(), expired!._id, { expiresAt: new Date(Date.now() - 1) });
    expect(statusesOf(await Promise.all(times(6).map(() => newKey(tenant))))).toEqual({ 201: 2, 402: 4 });
  });

  test('have room again two minutes after a process died that had reserved it', async () => {
    const tenant = await newTenantClient();
    await seedKeys(tenant, free.apiKeys - 2);
    await leaveReservation(tenant, newId('key'), new Date(Date.now() - 3 * minute));
    await leaveReservation(tenant, newId('key'), new Date());
    expectRefusal(await newKey(tenant), tenant, '50 API keys');
    await withDatabase(await databaseUrl(), (database) =>
      database
        .collection<ReservationDocument>('identity_reservations')
        .updateMany({ holderId: tenant.orgId }, { $set: { createdAt: new Date(Date.now() - 3 * minute) } }),
    );
    expect(statusesOf(await Promise.all(times(3).map(() => newKey(tenant))))).toEqual({ 201: 1, 402: 2 });
  });

  test('count once where a process died between the key and the end of its reservation', async () => {
    const tenant = await newTenantClient();
    const [last] = await seedKeys(tenant, free.apiKeys - 2);
    await leaveReservation(tenant, last!._id, new Date());
    expect(statusesOf(await Promise.all(times(3).map(() => newKey(tenant))))).toEqual({ 201: 1, 402: 2 });
  });
});

describe('OAuth clients', () => {
  test('are as many as the plan allows, and can be changed at the limit', async () => {
    const tenant = await newTenantClient();
    const slugs = (await Promise.all(times(8).map(() => newApplication(tenant)))).map(({ body }) => body.slug);
    const answers = await Promise.all(slugs.map((slug) => newClient(tenant, slug)));
    expect(statusesOf(answers)).toEqual({ 201: free.oauthClients, 402: 8 - free.oauthClients });
    expectRefusal(refusedOf(answers), tenant, '5 OAuth clients');
    const having = slugs.filter((_, place) => answers[place]!.status === 201);
    const lacking = slugs.filter((_, place) => answers[place]!.status === 402);
    expect((await newClient(tenant, having[0]!)).status).toBe(201);
    expect((await tenant.send('DELETE', `/applications/${having[0]}/oauth-client`)).status).toBe(204);
    expect((await tenant.send('DELETE', `/applications/${having[1]}`)).status).toBe(204);
    expect(statusesOf(await Promise.all(lacking.map((slug) => newClient(tenant, slug))))).toEqual({ 201: 2, 402: 1 });
  });
});

describe('organizations', () => {
  test('are as many for a user as the setting says, however many are asked for at once', async () => {
    const user = await newUserClient();
    const answers = await Promise.all(times(30).map(() => newOrganization(user)));
    expect(statusesOf(answers)).toEqual({ 201: 10, 409: 20 });
    expect(refusedOf(answers).body).toMatchObject({
      error: 'LIMIT_REACHED',
      message: 'You can create at most 10 organizations; delete one first.',
    });
    expect(await readAll(user, '/organizations')).toHaveLength(10);
    const { slug } = madeOf(answers)[0]!.body;
    expect((await user.send('DELETE', `/organizations/${slug}?confirm=${slug}`)).status).toBe(202);
    expect(statusesOf(await Promise.all(times(3).map(() => newOrganization(user))))).toEqual({ 201: 1, 409: 2 });
  });
});
