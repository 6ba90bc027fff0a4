import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import { send } from '../../support/http.ts';
import { type OwnDatabase, startOwnDatabase } from '../../support/own-database.ts';
import { startNode, startPlatform } from '../../support/platform.ts';
import { withDatabase } from '../../support/tenants.ts';

const refusal = /SECRET_KEY is not the one that the platform of this database has\./;
const wrong = 'another secret key than that of the platform';

/** The tests go on with one folder, each with what the one before left. */
describe('a platform that starts on the database of a platform with another SECRET_KEY', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'platform-'));
  const [file, kept] = [join(dataDir, 'secret-key'), join(dataDir, 'secret-key.kept')];
  let apiKey: string;
  beforeAll(async () => {
    const first = await startPlatform({ dataDir });
    ({ apiKey } = first.firstRun);
    await first.stop();
  });
  afterAll(() => rmSync(dataDir, { recursive: true }));

  const expectRefused = async (env: Record<string, string> = {}) => {
    const refused = startNode({ dataDir, env });
    expect(await refused.exited).toBe(1);
    expect(refused.output()).toMatch(refusal);
  };

  test('is refused without the file secret-key, and leaves no other key behind', async () => {
    renameSync(file, kept);
    await expectRefused();
    expect(existsSync(file)).toBe(false);
    renameSync(kept, file);
  });

  test('is refused with another key, and the right one still works', async () => {
    await expectRefused({ SECRET_KEY: wrong });
    const again = await startPlatform({ dataDir });
    const headers = { Authorization: `Bearer ${apiKey}` };
    expect((await send(again.url, { path: '/identity/me', headers })).status).toBe(200);
    // The first look at the keys that sign tokens makes one.
    expect((await send(again.url, { path: '/oauth2/.well-known/jwks.json' })).status).toBe(200);
    expect(await again.stop()).toBe(0);
  });

  test('is refused where the database is of a version that kept no record of its key', async () => {
    const database = await startEmbeddedMongo({ dir: join(dataDir, 'mongo') });
    await withDatabase(database.url, (db) => db.collection('platform_records').deleteMany({}));
    await database.close();
    await expectRefused({ SECRET_KEY: wrong });
    const right = readFileSync(file, 'utf8').trim();
    expect(await (await startPlatform({ dataDir, env: { SECRET_KEY: right } })).stop()).toBe(0);
    await expectRefused({ SECRET_KEY: wrong });
  });
});

describe('a platform on a database by MONGO_URL whose updates are atomic', () => {
  let database: OwnDatabase;
  beforeAll(async () => {
    database = await startOwnDatabase();
  });
  afterAll(() => database.close());

  test('starts without a warning, and leaves nothing of the probe', async () => {
    const env = { MONGO_URL: database.url, DEV_MAILBOX: 'yes', NODE_ENV: 'development', PASSWORD_COST: '17' };
    const platform = await startPlatform({ env });
    expect(platform.log().filter(({ level }) => level !== 'info' && level !== 'debug')).toEqual([]);
    expect(await withDatabase(database.url, (db) => db.collection('platform_probes').countDocuments())).toBe(0);
    expect(await platform.stop()).toBe(0);
  });
});
