import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { hashToken } from '../../../lib/security/token-hash.ts';
import { clientOf } from '../../support/client.ts';
import { type Pool, startPool } from '../../support/platform.ts';
import { withDatabase } from '../../support/tenants.ts';

describe('the first run of a pool with three identity nodes', () => {
  let pool: Pool;
  beforeAll(async () => {
    pool = await startPool([
      { services: ['gateway'] },
      { services: ['identity'] },
      { services: ['identity'] },
      { services: ['identity'] },
      { services: ['access', 'billing', 'context', 'mail'] },
    ]);
    const identityNodes = pool.nodes.slice(1, 4);
    await Promise.all(
      identityNodes.map((node) => node.logged(({ message }) => message === "Service 'identity' started.")),
    );
  });
  afterAll(() => pool.stop());

  test('is done by one of them, and told by that one alone', () => {
    const told = pool.nodes.filter(({ dataDir }) => existsSync(join(dataDir, 'first-run.json')));
    const printed = pool.nodes.filter((node) => node.output().includes('The platform is set up.'));
    expect(told).toHaveLength(1);
    expect(printed).toEqual(told);
  });

  test('makes one of each record, and a key that works', async () => {
    const { firstRun, databaseUrl } = pool;
    const keys = await withDatabase(databaseUrl, (database) =>
      database.collection('identity_api_keys').find().toArray(),
    );
    expect(keys).toMatchObject([{ orgId: firstRun.orgId, tokenHash: hashToken(firstRun.apiKey), revokedAt: null }]);
    const counts = await withDatabase(databaseUrl, (database) =>
      Promise.all(
        ['identity_users', 'identity_organizations', 'access_changes', 'identity_applications'].map((name) =>
          database.collection(name).countDocuments(),
        ),
      ),
    );
    expect(counts).toEqual([1, 1, 1, 1]);
    const client = clientOf({ url: pool.urls[0]!, ...firstRun });
    expect(await client.call('identity.me.read', {})).toMatchObject({ id: firstRun.applicationId, slug: 'first-app' });
  });
});
