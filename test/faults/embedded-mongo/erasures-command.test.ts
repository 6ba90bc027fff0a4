import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { temporaryFolder } from '../../integration/embedded-mongo/support/folder.ts';
import { withServer } from '../../integration/embedded-mongo/support/server.ts';
import { type Client, clientOf } from '../../support/client.ts';
import { eventAbout } from '../../support/events.ts';
import { runJob } from '../../support/operator.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { createTenant, databaseUrlOf, type Tenant, withDatabase } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';
import { createUser, sessionClientOf, type User } from '../../support/user-client.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const secretKey = 'the-same-secret-key-for-every-process-here';

type Outcome = { code: number; output: string; errors: string };

/** What `npm run backup -- …` and `npm run erasures -- …` do. */
function run(command: 'backup' | 'erasures', commandLine: string[], env: Record<string, string>): Promise<Outcome> {
  const node = join(root, 'node_modules', '.bin', 'node');
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const options = { cwd: root, env: { PATH, NODE_COMPILE_CACHE, SECRET_KEY: secretKey, ...env } };
  return new Promise((resolve) => {
    execFile(node, [`runtime/${command}.ts`, ...commandLine], options, (error, output, errors) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output, errors });
    });
  });
}

const start = (dataDir: string): Promise<Platform> => startPlatform({ dataDir, env: { SECRET_KEY: secretKey } });
/** With the service by which a test has a job run at once. */
const startOperated = (dataDir: string): Promise<Platform> =>
  startPlatform({ dataDir, env: { SECRET_KEY: secretKey }, entry: 'test/support/operated-platform.ts' });

/** Has the platform ask the other services again. */
const sweepErasures = ({ url }: Platform): Promise<void> => runJob(url, 'context.erasures');

/** A part of strings that occurs nowhere else. */
const newMark = (): string => randomUUID().replaceAll('-', '');

/** A customer with a story and a mail, whose every string has the mark. */
async function newCustomer(shop: Client & Tenant, mark = newMark()): Promise<string> {
  const email = `${mark}@example.com`;
  const payload = { email, name: `Name ${mark}` };
  await shop.call('context.events.create', { body: eventAbout(shop.orgId, `C-${mark}`, { payload }) });
  const template = { name: `Hello ${randomUUID()}`, subject: 'Hello', text: 'Hello' };
  const { id: templateId } = await shop.call('mail.templates.create', { body: template });
  await shop.call('mail.messages.send', { body: { to: email, templateId } });
  return mark;
}

const storyOf = (shop: Client, mark: string) =>
  shop.attempt('context.story.read', { path: { customerId: `C-${mark}` } });

async function erase(shop: Client, mark: string): Promise<void> {
  await shop.call('context.story.erase', { path: { customerId: `C-${mark}` } });
}

type Person = Client & User;

async function newPerson(platform: Platform, orgId?: string, role?: 'owner' | 'member'): Promise<Person> {
  const email = `${newMark()}@example.com`;
  const user = await createUser(await databaseUrlOf(platform), { email, ...(orgId && { orgId, role }) });
  return { ...sessionClientOf(platform.url, user.sessionToken), ...user };
}

/** The same client at the address of another platform. */
const at = ({ url }: Platform, tenant: Client & Tenant): Client & Tenant => ({
  ...tenant,
  ...clientOf({ ...tenant, url }),
});

const accountOf = ({ url }: Platform, { sessionToken }: User) =>
  sessionClientOf(url, sessionToken).send('GET', '/identity/me');

async function newShop(platform: Platform): Promise<Client & Tenant> {
  const tenant = await createTenant(await databaseUrlOf(platform));
  return { ...tenant, ...clientOf({ url: platform.url, ...tenant }) };
}

/** The collections that have a text, in any case, but for the log of requests: a test asks for what is erased. */
async function placesOf(platform: Platform, text: string): Promise<string[]> {
  return await withDatabase(await databaseUrlOf(platform), async (database) => {
    const found: string[] = [];
    for (const collection of await database.collections()) {
      if (collection.collectionName === 'identity_failed_requests') continue;
      const documents = await collection.find().toArray();
      if (JSON.stringify(documents).toLowerCase().includes(text)) found.push(collection.collectionName);
    }
    return found.sort();
  });
}

/** A platform with customers, users and organizations, some of which were erased after its backup. */
async function restorable() {
  const folder = temporaryFolder();
  const [backup, list] = [join(folder, 'backup'), join(folder, 'list')];
  const platform = await start(join(folder, 'from'));
  const env = { DATA_DIR: platform.dataDir };
  const shop = await newShop(platform);
  const closed = await newShop(platform);
  const customers = { erased: await newCustomer(shop), kept: await newCustomer(shop), back: await newCustomer(shop) };
  const owner = await newPerson(platform, shop.orgId);
  const erased = await newPerson(platform, shop.orgId, 'member');
  const founder = await newPerson(platform, closed.orgId);
  const slug = closed.orgId.replace('_', '-');
  await newCustomer(closed);
  // Erased before the backup, and back before it.
  await erase(shop, customers.back);
  await newCustomer(shop, customers.back);
  for (const mark of Object.values(customers)) expect((await storyOf(shop, mark)).status).toBe(200);

  expect(await run('backup', [backup], env)).toMatchObject({ code: 0 });
  await erase(shop, customers.erased);
  expect((await erased.send('DELETE', '/identity/me')).status).toBe(204);
  expect((await founder.send('DELETE', `/organizations/${slug}?confirm=${slug}`)).status).toBe(202);
  expect(await run('erasures', [list], env)).toMatchObject({
    code: 0,
    output: `4 erasures were saved to ${list}. Keep it on another disk than the database.\n`,
    errors: '',
  });
  await platform.stop();
  return { folder, backup, list, shop, closed, customers, users: { owner, erased, founder } };
}

type Restorable = Awaited<ReturnType<typeof restorable>>;

/** Nothing is left of what was erased, and the others are whole. */
async function expectErased(platform: Platform, { shop, closed, customers, users }: Restorable): Promise<void> {
  const own = at(platform, shop);
  expect((await storyOf(own, customers.erased)).status).toBe(404);
  for (const mark of [customers.kept, customers.back]) expect((await storyOf(own, mark)).status).toBe(200);
  for (const user of [users.owner, users.founder]) expect((await accountOf(platform, user)).status).toBe(200);
  await until(async () => (await accountOf(platform, users.erased)).status === 401);
  await until(async () => (await at(platform, closed).send('GET', '/identity/me')).status === 401);
  await sweepErasures(platform);
  const gone = [customers.erased, users.erased.email];
  await until(async () => (await Promise.all(gone.map((text) => placesOf(platform, text)))).flat().length === 0);
  const kept = ['context_identifiers', 'mail_messages'];
  for (const mark of [customers.kept, customers.back]) {
    expect(await placesOf(platform, mark)).toEqual(expect.arrayContaining(kept));
  }
  const organization = () =>
    databaseUrlOf(platform).then((url) =>
      withDatabase(url, (database) =>
        database.collection<{ _id: string; status: string }>('identity_organizations').findOne({ _id: closed.orgId }),
      ),
    );
  await until(async () => (await organization())?.status === 'deleted');
  expect(await placesOf(platform, closed.orgId)).not.toContain('context_events');
}

describe('a list of erasures', () => {
  let made: Restorable;
  beforeAll(async () => {
    made = await restorable();
  }, 120_000);

  test('has what was erased erased again after a restore, and nothing else, in one command', async () => {
    const { folder, backup, list, shop, customers } = made;
    const dataDir = join(folder, 'at-once');
    const env = { DATA_DIR: dataDir };
    const outcome = await run('backup', ['--restore', backup, '--erasures', list], env);
    expect(outcome).toMatchObject({
      code: 0,
      output: expect.stringContaining('3 erasures were applied, and 1 were already present.'),
      errors: '',
    });
    const platform = await startOperated(dataDir);
    await expectErased(platform, made);

    // Who comes back is not erased by the same list once more, nor is a list saved that lacks something.
    await newCustomer(at(platform, shop), customers.erased);
    const again = join(folder, 'again');
    expect(await run('erasures', [again], env)).toMatchObject({ code: 0 });
    await platform.stop();
    for (const file of [list, again]) {
      expect(await run('erasures', ['--apply', file], env)).toMatchObject({
        code: 0,
        output: expect.stringContaining('0 erasures were applied, and 4 were already present.'),
      });
    }
    const later = await startOperated(dataDir);
    await sweepErasures(later);
    expect((await storyOf(at(later, shop), customers.erased)).status).toBe(200);
    await later.stop();
  }, 240_000);

  test('is applied by a command of its own, which a restore without a list names', async () => {
    const { folder, backup, list, customers, shop, users } = made;
    const dataDir = join(folder, 'later');
    const env = { DATA_DIR: dataDir };
    expect(await run('backup', ['--restore', backup], env)).toMatchObject({
      code: 0,
      output: expect.stringMatching(
        /What was erased since the backup is there again.*npm run erasures -- --apply FILE/,
      ),
    });
    const before = await start(dataDir);
    expect((await storyOf(at(before, shop), customers.erased)).status).toBe(200);
    expect((await accountOf(before, users.erased)).status).toBe(200);
    expect(await run('erasures', ['--apply', list], env)).toMatchObject({
      code: 1,
      errors: expect.stringContaining('is in use by another running server'),
    });
    await before.stop();
    expect(await run('erasures', ['--apply', list], env)).toMatchObject({ code: 0, errors: '' });
    const platform = await startOperated(dataDir);
    await expectErased(platform, made);
    await platform.stop();
  }, 240_000);
});

describe('npm run erasures', () => {
  test('saves a list that its owner alone can read, also while no platform runs, and overwrites none', async () => {
    const dataDir = temporaryFolder();
    await withServer(join(dataDir, 'mongo'), ({ items }) => items.insertOne({ n: 1 }));
    const file = join(temporaryFolder(), 'new', 'list');
    expect(await run('erasures', [file], { DATA_DIR: dataDir })).toMatchObject({ code: 0, errors: '' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const saved = readFileSync(file, 'utf8');
    expect(await run('erasures', [file], { DATA_DIR: dataDir })).toMatchObject({
      code: 1,
      output: '',
      errors: expect.stringContaining(`${file} already exists; choose another name`),
    });
    expect(readFileSync(file, 'utf8')).toBe(saved);
  });

  test('refuses the list of another database, and of another SECRET_KEY, before a restore too', async () => {
    const [one, other, empty] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
    for (const dataDir of [one, other]) {
      await withServer(join(dataDir, 'mongo'), ({ items }) => items.insertOne({ n: 1 }));
    }
    const [list, backup] = [join(one, 'list'), join(one, 'backup')];
    expect(await run('erasures', [list], { DATA_DIR: one })).toMatchObject({ code: 0 });
    expect(await run('backup', [backup], { DATA_DIR: one })).toMatchObject({ code: 0 });
    expect(await run('erasures', ['--apply', list], { DATA_DIR: other })).toMatchObject({
      code: 1,
      errors: `${list} is the list of another database.\n`,
    });
    const otherKey = { DATA_DIR: empty, SECRET_KEY: 'another-secret-key-for-the-same-database' };
    for (const [command, line] of [
      ['erasures', ['--apply', list]],
      ['backup', ['--restore', backup, '--erasures', list]],
    ] as const) {
      expect(await run(command, [...line], otherKey)).toMatchObject({
        code: 1,
        output: '',
        errors: expect.stringContaining('was saved under another SECRET_KEY'),
      });
    }
    expect(await run('backup', ['--restore', backup, '--erasures', list], { DATA_DIR: empty })).toMatchObject({
      code: 0,
      errors: '',
    });
  });

  const cases: [string, 'backup' | 'erasures', (file: string) => string[], string][] = [
    ['without a file', 'erasures', () => [], 'Name one file'],
    ['with two files', 'erasures', (file) => [file, file], 'Name one file'],
    ['with an option it does not know', 'erasures', (file) => ['--restore', file], '--restore'],
    ['of a folder without a database', 'erasures', (file) => [`${file}.new`], 'There is no database in'],
    ['to a file that exists', 'erasures', (file) => [file], 'already exists; choose another name'],
    ['from a file that is no list', 'erasures', (file) => ['--apply', file], 'is not a list of erasures'],
    ['from a file that is missing', 'erasures', (file) => ['--apply', `${file}.new`], 'There is no list of erasures'],
    ['from a folder', 'erasures', (file) => ['--apply', dirname(file)], 'could not be read'],
    ['for a backup', 'backup', (file) => [`${file}.new`, '--erasures', file], '--erasures is for a restore'],
    [
      'for a restore, no list',
      'backup',
      (file) => ['--restore', file, '--erasures', file],
      'is not a list of erasures',
    ],
  ];

  test.each(cases)('%s says what is wrong in a sentence', async (_, command, commandLine, sentence) => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, 'plain text\n{}\n');
    const outcome = await run(command, commandLine(file), { DATA_DIR: temporaryFolder() });
    expect(outcome).toMatchObject({ code: 1, output: '', errors: expect.stringContaining(sentence) });
    expect(outcome.errors).not.toContain('    at ');
  });

  test('says in a sentence that a database does not answer, or that a file cannot be written', async () => {
    const dataDir = temporaryFolder();
    await withServer(join(dataDir, 'mongo'), ({ items }) => items.insertOne({ n: 1 }));
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, 'plain text');
    const cases = [
      [{ MONGO_URL: 'mongodb://127.0.0.1:9/platform' }, `${file}.new`, 'The database does not answer'],
      [{ DATA_DIR: dataDir }, join(file, 'list'), 'could not be written'],
    ] as const;
    for (const [env, list, sentence] of cases) {
      const outcome = await run('erasures', [list], { ...env });
      expect(outcome).toMatchObject({ code: 1, output: '', errors: expect.stringContaining(sentence) });
      expect(outcome.errors).not.toContain('    at ');
    }
  });

  test('explains itself', async () => {
    expect(await run('erasures', ['--help'], {})).toMatchObject({
      code: 0,
      output: expect.stringContaining('--apply FILE'),
    });
  });
});
