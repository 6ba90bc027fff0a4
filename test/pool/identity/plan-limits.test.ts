import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import { limitsOfPlan } from '../../../services/billing/plans/plans.actions.ts';
import { type Client, clientOf } from '../../support/client.ts';
import { type Pool, startPool } from '../../support/platform.ts';
import { createTenant, type Tenant } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';
import { createUser, sessionClientOf } from '../../support/user-client.ts';

const free = limitsOfPlan('free');
const times = (count: number): number[] => Array.from({ length: count }, (_, number) => number);

/** Two nodes that each take requests and answer them with services of their own, on the database of the environment. */
describe('two nodes that add to one organization at the same time', () => {
  let pool: Pool;
  let tenant: Tenant;
  let clients: Client[];

  beforeAll(async () => {
    const services = ['gateway', 'identity', 'access'];
    pool = await startPool([{ services }, { services }, { services: ['billing', 'context', 'mail'] }]);
    tenant = await createTenant(pool.databaseUrl);
    clients = pool.urls.map((url) => clientOf({ url, ...tenant }));
  }, 120_000);
  afterAll(() => pool.stop());

  /** How many of so many requests, half of them at each node, were answered with which status. */
  async function askBoth(by: Client[], count: number, path: string, bodyOf: () => object) {
    const answers = times(count).map((number) => post(by[number % by.length]!, path, bodyOf()));
    const counted: Record<number, number> = {};
    for (const status of await Promise.all(answers)) counted[status] = (counted[status] ?? 0) + 1;
    return counted;
  }

  /** So many at once may be more than a machine takes: who is told to come back later does, with the same key. */
  function post(client: Client, path: string, body: object): Promise<number> {
    const headers = { 'idempotency-key': newId('req') };
    return eventually(async () => {
      const { status, text } = await client.send('POST', path, body, headers);
      if (status === 503 || text.includes('IDEMPOTENCY_IN_PROGRESS')) throw new Error(`Answered ${status}: ${text}`);
      return status;
    }, 90_000);
  }

  const slugOf = (prefix: 'app' | 'org'): string => newId(prefix).replace('_', '-');

  test('make exactly as many applications as the plan allows', async () => {
    const bodyOf = () => ({ name: 'An application', slug: slugOf('app') });
    const counted = await askBoth(clients, 24, '/applications', bodyOf);
    // A test's organization has one already.
    expect(counted).toEqual({ 201: free.applications - 1, 402: 25 - free.applications });
  }, 120_000);

  test('make exactly as many API keys as the plan allows', async () => {
    const path = `/applications/${tenant.applicationId}/api-keys`;
    const bodyOf = () => ({ name: 'A key', scopes: ['context.story.read'] });
    const counted = await askBoth(clients, free.apiKeys + 10, path, bodyOf);
    expect(counted).toEqual({ 201: free.apiKeys - 1, 402: 11 });
  }, 120_000);

  test('make exactly as many roles as the plan allows', async () => {
    const bodyOf = () => ({ name: 'A role', permissions: [] });
    const counted = await askBoth(clients, free.roles + 10, '/access/roles', bodyOf);
    expect(counted).toEqual({ 201: free.roles, 402: 10 });
  }, 120_000);

  test('make exactly as many organizations of a user as the setting says', async () => {
    const { sessionToken } = await createUser(pool.databaseUrl);
    const by = pool.urls.map((url) => sessionClientOf(url, sessionToken, pool.env.PUBLIC_URL));
    const bodyOf = () => ({ name: 'An organization', slug: slugOf('org') });
    expect(await askBoth(by, 24, '/organizations', bodyOf)).toEqual({ 201: 10, 409: 14 });
  }, 120_000);
});
