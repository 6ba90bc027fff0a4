import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { newId } from '../../../lib/data/ids.ts';
import type { UserDocument } from '../../../models/identity/user.ts';
import { limitsOfPlan } from '../../../services/billing/plans/plans.actions.ts';
import { authorizationUrl, type Client, goThrough, requestToken } from '../../support/authorization.ts';
import { type Client as ApiClient, clientOf } from '../../support/client.ts';
import { send } from '../../support/http.ts';
import { createOAuthClient } from '../../support/oauth-database-client.ts';
import { type OwnDatabase, startOwnDatabase } from '../../support/own-database.ts';
import { type Pool, startPool } from '../../support/platform.ts';
import { propertyCases } from '../../support/property-cases.ts';
import { createTenant, slugOf, type Tenant, withDatabase } from '../../support/tenants.ts';
import { eventually, until, untilAnswered } from '../../support/until.ts';
import { newUserAgent } from '../../support/user-agent.ts';
import { createUser, sessionClientOf, type User } from '../../support/user-client.ts';

const root = join(import.meta.dirname, '../../..');
const redirectUri = 'https://client.example.com/callback';
const attemptsAtOnce = propertyCases(100, 2000);
const patience = 120_000;

/**
 * Two nodes that started at the same time and each take requests and answer them with identity and access control of
 * their own, and one with what else they need, on one embedded database.
 */
describe('a pool with two gateways', () => {
  let database: OwnDatabase;
  let pool: Pool;
  let dataDir: string;
  let publicUrl: string;
  let databaseUrl: string;
  let tenant: Tenant;
  let user: User;
  let client: Client;
  /** The same client as it calls each of the gateways. */
  let clients: Client[];

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'platform-pool-'));
    database = await startOwnDatabase();
    pool = await startPool(
      [
        { services: ['gateway', 'identity', 'access'], dataDir },
        { services: ['gateway', 'identity', 'access'], dataDir },
        { services: ['billing', 'context', 'mail'], dataDir },
      ],
      { MONGO_URL: database.url },
    );
    [publicUrl = ''] = pool.urls;
    databaseUrl = database.url;
    tenant = await createTenant(databaseUrl);
    user = await createUser(databaseUrl, { orgId: tenant.orgId });
    client = await newClient(tenant);
    clients = pool.urls.map((url) => ({ ...client, url }));
  });
  afterAll(async () => {
    await pool.stop();
    await database.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('was set up by one of its nodes, and told by that one alone', async () => {
    const announced = pool.nodes.filter((node) => node.output().includes('The platform is set up.'));
    expect(announced).toHaveLength(1);
    for (const url of pool.urls) {
      const me = await clientOf({ url, ...pool.firstRun }).call('identity.me.read', {});
      expect(me).toMatchObject({ id: pool.firstRun.applicationId, slug: 'first-app' });
    }
  });

  test('describe the endpoints of another node, and download its lists with their columns', async () => {
    type OpenApi = { components: { schemas: Record<string, { properties?: object }> } };
    const { body } = await send<OpenApi>(publicUrl, { path: '/openapi.json' });
    expect(Object.keys(body.components.schemas.MailTemplate?.properties ?? {})).toContain('subject');
    const session = sessionClientOf(publicUrl, user.sessionToken);
    const { status, text } = await session.send('GET', `/console/${slugOf(tenant.orgId)}/events?format=csv`);
    expect(status).toBe(200);
    expect(text.trimEnd().split(',')).toEqual(expect.arrayContaining(['eventId', 'eventName', 'actor.id']));
  });

  async function newClient(owner: Tenant): Promise<Client> {
    const registered = await createOAuthClient(databaseUrl, owner, {
      redirectUris: [redirectUri],
      grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
      scopes: ['openid', 'profile', 'offline_access', 'console.apps.read'],
    });
    return { ...registered, url: publicUrl, redirectUri };
  }

  async function newCode(scope = 'openid'): Promise<string> {
    const agent = newUserAgent(publicUrl, user.sessionToken);
    const callback = await goThrough(agent, await agent.open(authorizationUrl(client, { scope })), user);
    return callback.searchParams.get('code')!;
  }

  const exchange = (by: Client, code: string) =>
    requestToken(by, { grant_type: 'authorization_code', code, redirect_uri: redirectUri });
  const refresh = (by: Client, token: string) =>
    requestToken(by, { grant_type: 'refresh_token', refresh_token: token });
  const applicationToken = async (by: Client) =>
    (await requestToken(by, { grant_type: 'client_credentials' })).body.access_token;
  const readMe = (url: string, token: string) =>
    send(url, { path: '/identity/me', headers: { authorization: `Bearer ${token}` } });
  const statuses = async (token: string) =>
    Promise.all(pool.urls.map(async (url) => (await readMe(url, token)).status));

  async function publishedKeys(url: string): Promise<JSONWebKeySet> {
    return JSON.parse((await send(url, { path: '/oauth2/.well-known/jwks.json' })).text) as JSONWebKeySet;
  }

  test('signs tokens by one key, which both publish', async () => {
    const [one, other] = await Promise.all(pool.urls.map(publishedKeys));
    expect(one!.keys).toHaveLength(1);
    expect(other).toEqual(one);
  });

  test('takes at one gateway the tokens of the other', async () => {
    for (const by of clients) expect(await statuses(await applicationToken(by))).toEqual([200, 200]);
  });

  test(
    'gives tokens for a code once when it is asked many times at once',
    async () => {
      const code = await newCode();
      const attempts = Array.from({ length: attemptsAtOnce }, (_, index) => exchange(clients[index % 2]!, code));
      const answers = await Promise.all(attempts);
      const won = answers.filter(({ status }) => status === 200);
      expect(won).toHaveLength(1);
      const refusals = new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body.error));
      expect([...refusals]).toEqual(['invalid_grant']);
    },
    patience,
  );

  test(
    'gives a refresh token one successor when it is asked many times at once',
    async () => {
      const { body } = await exchange(client, await newCode('openid offline_access'));
      const attempts = Array.from({ length: attemptsAtOnce }, (_, index) =>
        refresh(clients[index % 2]!, body.refresh_token!),
      );
      const answers = await Promise.all(attempts);
      expect(answers.map(({ status }) => status).filter((status) => status !== 200)).toEqual([]);
      const successors = new Set(answers.map((answer) => answer.body.refresh_token));
      expect(successors.size).toBe(1);
      expect(await refresh(clients[1]!, [...successors][0]!)).toMatchObject({ status: 200 });
    },
    patience,
  );

  test(
    'gives a slug to one of many organizations that want it at once',
    async () => {
      const slug = `wanted-${Date.now()}`;
      const attempts = Array.from({ length: attemptsAtOnce }, (_, index) =>
        ownAt(index).send('POST', '/organizations', { name: 'Wanted', slug }),
      );
      const outcomes = (await Promise.all(attempts)).map(({ status, body }) => `${status} ${body.error ?? ''}`);
      expect(outcomes.filter((outcome) => outcome === '201 ')).toHaveLength(1);
      expect(new Set(outcomes)).toEqual(new Set(['201 ', '409 SLUG_TAKEN']));
    },
    patience,
  );

  test(
    'makes one member of an invitation that is accepted many times at once',
    async () => {
      const guest = await createUser(databaseUrl);
      const slug = tenant.orgId.replace('_', '-');
      const invitation = { email: guest.email, role: 'member' };
      expect(await ownAt(0).send('POST', `/organizations/${slug}/invitations`, invitation)).toMatchObject({
        status: 201,
      });
      const token = await mailedToken(guest.email);
      const accepting = pool.urls.map((url) => sessionClientOf(url, guest.sessionToken, publicUrl));
      const attempts = Array.from({ length: attemptsAtOnce }, (_, index) =>
        accepting[index % 2]!.send('POST', `/organizations/invitations/${token}/accept`),
      );
      const outcomes = new Set(
        (await Promise.all(attempts)).map(({ status, body }) => `${status} ${body?.error ?? ''}`),
      );
      // So many at once may be more than a machine takes: who is told to come back later has not won.
      const losses = /^(?:409 (?:INVITATION_NOT_OPEN|CONFLICT)|503 UNAVAILABLE)$/;
      expect([...outcomes].filter((outcome) => !/^20\d $/.test(outcome) && !losses.test(outcome))).toEqual([]);
      const joined = await withDatabase(databaseUrl, (database) =>
        database.collection('access_changes').countDocuments({ 'change.assignment.subject': guest.userId }),
      );
      const recorded = await withDatabase(databaseUrl, (database) =>
        database
          .collection('identity_audit_records')
          .countDocuments({ orgId: tenant.orgId, action: 'member.added', 'target.id': guest.userId }),
      );
      expect([joined, recorded]).toEqual([1, 1]);
    },
    patience,
  );

  const ownAt = (index: number) => sessionClientOf(pool.urls[index % 2]!, user.sessionToken, publicUrl);

  /** The token of the link in the mail to an address, as a person finds it in the mailbox. */
  function mailedToken(email: string): Promise<string> {
    return eventually(async () => {
      const opening = pool.nodes.map((node) => /\/dev\/mailbox\?token=[\w-]+/.exec(node.output())?.[0]).find(Boolean);
      const list = await send(publicUrl, { path: opening! });
      const headers = { cookie: list.headers['set-cookie']![0]!.split(';')[0]! };
      const row = list.text.split('<li>').find((each) => each.includes(email));
      const message = await send(publicUrl, { path: /\/dev\/mailbox\/msg_\w+/.exec(row ?? '')![0], headers });
      return /invitations\/accept\?token=([\w-]+)/.exec(message.text)![1]!;
    });
  }

  test('refuses tokens everywhere after their client’s end', async () => {
    const owner = await createTenant(databaseUrl);
    const doomed = await newClient(owner);
    const token = await applicationToken(doomed);
    expect(await statuses(token)).toEqual([200, 200]);
    const answer = await send(pool.urls[1]!, {
      method: 'DELETE',
      path: `/applications/${owner.applicationId.replace('_', '-')}/oauth-client`,
      headers: { authorization: `Bearer ${owner.apiKey}` },
    });
    expect(answer.status).toBe(204);
    await eventually(async () => expect(await statuses(token)).toEqual([401, 401]));
  });

  test('refuses a user’s tokens everywhere after the consent’s withdrawal', async () => {
    const { body } = await exchange(client, await newCode());
    expect(await statuses(body.access_token)).toEqual([200, 200]);
    const own = sessionClientOf(publicUrl, user.sessionToken);
    const answer = await own.send('DELETE', `/identity/me/applications/${client.clientId}`);
    expect(answer.status).toBe(204);
    await eventually(async () => expect(await statuses(body.access_token)).toEqual([401, 401]));
  });

  test('refuses everywhere what acts for an organization from the answer to its suspension on, and takes it again after', async () => {
    const owner = await createTenant(databaseUrl);
    const member = await createUser(databaseUrl, { orgId: owner.orgId });
    const operator = await newOperator();
    const token = await applicationToken({ ...(await newClient(owner)), url: publicUrl });
    const path = '/access/permissions';
    const credentials = {
      key: { path: '/identity/me', headers: { authorization: `Bearer ${owner.apiKey}` } },
      token: { path: '/identity/me', headers: { authorization: `Bearer ${token}` } },
      session: { path, headers: { cookie: `platform_session=${member.sessionToken}`, 'x-tenant-id': owner.orgId } },
    };
    const [first = '', second = ''] = pool.urls;
    const act = (what: string, body?: object) =>
      sessionClientOf(first, operator.sessionToken, publicUrl).send(
        'POST',
        `/operator/organizations/${owner.orgId}/${what}`,
        body,
      );
    for (let round = 0; round < 3; round += 1) {
      let isAnswered = false;
      let isOver = false;
      const seen: Record<string, string[]> = { before: [], after: [] };
      // Requests without a pause keep the credential in the cache of the other gateway.
      const asking = Object.entries(credentials).map(async ([name, request]) => {
        while (!isOver) {
          const when = isAnswered ? 'after' : 'before';
          const { status, body } = await send<{ error?: string }>(second, request);
          seen[when]!.push(`${name} ${status} ${body.error ?? ''}`.trim());
        }
      });
      await until(() => new Set(seen.before).size === Object.keys(credentials).length);
      expect(new Set(seen.before)).toEqual(new Set(['key 200', 'token 200', 'session 200']));
      expect((await act('suspend', { reason: 'A test' })).status).toBe(200);
      isAnswered = true;
      await until(() => seen.after!.length > 300);
      isOver = true;
      await Promise.all(asking);
      const refused = Object.keys(credentials).map((name) => `${name} 403 ORGANIZATION_SUSPENDED`);
      expect(new Set(seen.after)).toEqual(new Set(refused));
      expect((await act('restore')).status).toBe(200);
      const all = () =>
        Promise.all(Object.values(credentials).map(async (request) => (await send(second, request)).status));
      await eventually(async () => expect(await all()).toEqual([200, 200, 200]));
    }
  });

  async function newOperator(): Promise<User> {
    const operator = await createUser(databaseUrl);
    await withDatabase(databaseUrl, (database) =>
      database
        .collection<UserDocument>('identity_users')
        .updateOne({ _id: operator.userId }, { $set: { isOperator: true } }),
    );
    return operator;
  }

  test('ends a session everywhere', async () => {
    const person = await createUser(databaseUrl);
    const path = '/identity/me';
    const cookie = { cookie: `platform_session=${person.sessionToken}` };
    const both = () => Promise.all(pool.urls.map(async (url) => (await send(url, { path, headers: cookie })).status));
    expect(await both()).toEqual([200, 200]);
    const own = sessionClientOf(publicUrl, person.sessionToken);
    expect((await own.send('DELETE', `/identity/me/sessions/${person.sessionId}`)).status).toBe(204);
    await eventually(async () => expect(await both()).toEqual([401, 401]));
  });

  describe('makes exactly as many as the plan or the setting allows when both are asked at once:', () => {
    const free = limitsOfPlan('free');
    let owner: Tenant;
    let owners: ApiClient[];

    beforeAll(async () => {
      owner = await createTenant(databaseUrl);
      owners = pool.urls.map((url) => clientOf({ url, ...owner }));
    });

    /** How many of so many requests, half of them at each node, were answered with which status. */
    async function askBoth(by: ApiClient[], count: number, path: string, bodyOf: () => object) {
      const answers = Array.from({ length: count }, (_one, number) => post(by[number % by.length]!, path, bodyOf()));
      const counted: Record<number, number> = {};
      for (const status of await Promise.all(answers)) counted[status] = (counted[status] ?? 0) + 1;
      return counted;
    }

    /** So many at once may be more than a machine takes: a refusal that says to try again is tried again, with the same key. */
    async function post(by: ApiClient, path: string, body: object): Promise<number> {
      const headers = { 'idempotency-key': newId('req') };
      return (await untilAnswered(() => by.send('POST', path, body, headers))).status;
    }

    const slugOf = (prefix: 'app' | 'org'): string => newId(prefix).replace('_', '-');

    test('applications', async () => {
      const bodyOf = () => ({ name: 'An application', slug: slugOf('app') });
      const counted = await askBoth(owners, 24, '/applications', bodyOf);
      // A test's organization has one already.
      expect(counted).toEqual({ 201: free.applications - 1, 402: 25 - free.applications });
    });

    test('API keys', async () => {
      const path = `/applications/${owner.applicationId}/api-keys`;
      const bodyOf = () => ({ name: 'A key', scopes: ['context.story.read'] });
      const counted = await askBoth(owners, free.apiKeys + 10, path, bodyOf);
      expect(counted).toEqual({ 201: free.apiKeys - 1, 402: 11 });
    });

    test('roles', async () => {
      const bodyOf = () => ({ name: 'A role', permissions: [] });
      const counted = await askBoth(owners, free.roles + 10, '/access/roles', bodyOf);
      expect(counted).toEqual({ 201: free.roles, 402: 10 });
    });

    test('organizations of a user', async () => {
      const { sessionToken } = await createUser(databaseUrl);
      const by = pool.urls.map((url) => sessionClientOf(url, sessionToken, pool.env.PUBLIC_URL));
      const bodyOf = () => ({ name: 'An organization', slug: slugOf('org') });
      expect(await askBoth(by, 24, '/organizations', bodyOf)).toEqual({ 201: 10, 409: 14 });
    });
  });

  test('issues and takes tokens without one failure while the signing keys rotate', async () => {
    const before = await publishedKeys(publicUrl);
    const failures: unknown[] = [];
    const kids = new Set<string>();
    let isOver = false;
    const load = clients.map(async (by) => {
      while (!isOver) {
        const { status, body, text } = await requestToken(by, { grant_type: 'client_credentials' });
        if (status !== 200) failures.push(text);
        else await checkEverywhere(body.access_token, failures, kids);
      }
    });
    const env = { ...process.env, ...pool.env, DATA_DIR: dataDir, NODE_ENV: 'test' };
    const node = join(root, 'node_modules/.bin/node');
    const { stdout } = await promisify(execFile)(node, ['runtime/rotate-keys.ts', '--lead-seconds', '2'], {
      cwd: root,
      env,
    });
    expect(stdout).toMatch(/^The key \S+ is published from now on/);
    await until(() => kids.size === 2);
    isOver = true;
    await Promise.all(load);
    expect(failures).toEqual([]);
    const after = await publishedKeys(publicUrl);
    expect(after.keys.map(({ kid }) => kid)).toEqual(expect.arrayContaining(before.keys.map(({ kid }) => kid)));
    expect(after.keys).toHaveLength(2);
  });

  /** A token must be good at every gateway, and by the keys that every gateway publishes. */
  async function checkEverywhere(token: string, failures: unknown[], kids: Set<string>): Promise<void> {
    kids.add(decodeProtectedHeader(token).kid!);
    for (const url of pool.urls) {
      const { status, text } = await readMe(url, token);
      if (status !== 200) failures.push(text);
      const keys = createLocalJWKSet(await publishedKeys(url));
      await jwtVerify(token, keys, { issuer: `${publicUrl}/oauth2` }).catch((error) => failures.push(error));
    }
  }
});
