import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ServiceBroker } from 'moleculer';
import { Secret } from '../../../lib/security/secret.ts';
import { claimNodeId } from '../../../runtime/presence.ts';
import { plansInCommon } from '../../../services/billing/plans/plans.ts';
import { send } from '../../support/http.ts';
import { absentStoryRequest, startLoad, statusesOf } from '../../support/load.ts';
import { type NodeProcess, type Pool, serverVariable, startNode, startPool, urlOf } from '../../support/platform.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { withDatabase } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';

const otherDatabase = `${serverVariable('TEST_MONGO_URL')}/test-${randomUUID().slice(0, 13)}`;
const joined = ['gateway', 'identity', 'access', 'billing', 'context', 'mail'];

describe('a node that joins a pool', () => {
  let pool: Pool;

  beforeAll(async () => {
    pool = await startPool([{ services: joined, env: { NODE_ID: 'first' } }]);
  });

  afterAll(async () => {
    await pool.stop();
    await withDatabase(otherDatabase, (database) => database.dropDatabase());
  });

  const missing = async (url: string) =>
    (await send<{ missing?: string[] }>(url, { path: '/health/ready' })).body?.missing;

  test.each([
    [['context'], { MONGO_URL: otherDatabase }, /MONGO_URL names another database than that of the node first: /],
    [['gateway'], { MONGO_URL: otherDatabase }, /MONGO_URL names another database than that of the node first: /],
    [['context'], { SECRET_KEY: 'x'.repeat(40) }, /SECRET_KEY is not the one that the platform of this database has\./],
    [['gateway'], { SECRET_KEY: 'x'.repeat(40) }, /SECRET_KEY is not the one that the platform of this database has\./],
    [
      ['context'],
      { PUBLIC_URL: 'http://localhost:9', SMTP_URL: 'none' },
      /PUBLIC_URL must be the same on every node of a pool: it is http:\/\/localhost:9 here and http:\/\/127\..* on the node first\./,
    ],
    [
      ['context'],
      { STORAGE_URL: 'http://localhost:9' },
      /STORAGE_URL must be the same on every node of a pool: it is .* on the node first\./,
    ],
    [
      ['context'],
      { CDN_URL: 'http://localhost:9' },
      /CDN_URL must be the same on every node of a pool: it is .* on the node first\./,
    ],
    [
      ['mail'],
      { SMTP_URL: 'none' },
      /SMTP_URL must turn mail on or off for the whole pool: mail is off here and on on the node first\./,
    ],
  ])('with %j and %j is refused with a sentence that names the setting', async (services, env, sentence) => {
    const node = startNode({ services, env: { ...pool.env, ...env } });
    expect(await node.exited).toBe(1);
    expect(node.output()).toMatch(sentence);
    expect(node.log().filter(({ message }) => message === 'ready')).toEqual([]);
    expect(await missing(pool.urls[0]!)).toEqual([]);
  });

  test('with other plans is refused, and with a further version of a plan is not', async () => {
    const { NAMESPACE: namespace, NATS_URL } = pool.env as { NAMESPACE: string; NATS_URL: string };
    const { logger } = new ServiceBroker({ logger: false });
    const join = (values: Record<string, string>) =>
      claimNodeId({ url: new Secret(NATS_URL), namespace, nodeID: 'billing-2', values }, logger);
    await expect(join({ ...plansInCommon(), 'plan pro@1': 'another' })).rejects.toThrow(
      /^The plans differ: pro@1 is not the same here and on the node first\./,
    );
    await (await join({ ...plansInCommon(), 'plan pro@2': 'new' })).release();
  });

  test('of the same settings serves, also without settings for mail', async () => {
    const node = startNode({ services: ['gateway'], env: { ...pool.env, DEV_MAILBOX: '', PORT: '0' } });
    await node.logged(({ message }) => message === 'ready');
    expect(await missing(await urlOf(node))).toEqual([]);
    expect(await node.stop()).toBe(0);
  });

  test('as a gateway while the database is away answers 503, and serves once it can check the database', async () => {
    const way = await startTcpProxy(serverVariable('TEST_MONGO_URL'));
    await way.cut();
    const MONGO_URL = `mongodb://127.0.0.1:${way.port}${new URL(pool.databaseUrl).pathname}`;
    const node = startNode({ services: ['gateway'], env: { ...pool.env, MONGO_URL, PORT: '0' } });
    const url = await urlOf(node);
    await until(async () => (await missing(url))?.includes('database') === true);
    expect((await send(url, { path: '/health/alive' })).status).toBe(200);
    await way.mend();
    await until(async () => (await missing(url))?.length === 0);
    expect((await send(url, absentStoryRequest(pool.firstRun))).status).toBe(404);
    expect(await node.stop()).toBe(0);
    await way.close();
  });

  test('unseen by the others, with another database, is not ready and serves no call once they meet', async () => {
    const [first] = pool.nodes as [NodeProcess];
    process.kill(first.pid, 'SIGSTOP');
    let later: NodeProcess;
    try {
      later = startNode({
        services: ['gateway', 'context'],
        env: { ...pool.env, MONGO_URL: otherDatabase, NODE_ID: 'later', PORT: '0' },
      });
      await later.logged(({ message }) => message === "Service 'context' started.");
    } finally {
      process.kill(first.pid, 'SIGCONT');
    }
    const { message } = await later.logged(({ level }) => level === 'error');
    expect(message).toBe(
      'The node does not belong to this pool and serves no call. MONGO_URL names another database than that of the ' +
        'node first: all nodes of a pool have one database.',
    );
    const url = await urlOf(later);
    await until(async () => (await missing(url))?.includes('pool') === true);
    await until(async () => (await missing(pool.urls[0]!))?.length === 0);
    const load = startLoad(pool.urls[0]!, 4, () => absentStoryRequest(pool.firstRun));
    await until(() => load.answers.length > 100);
    await load.stop();
    expect(statusesOf(load)).toEqual({ 404: load.answers.length });
    expect((await send(url, absentStoryRequest(pool.firstRun))).status).toBe(503);
    expect(await later.stop()).toBe(0);
  });
});

describe('a platform on a database whose updates are not atomic', () => {
  test('is refused outside tests with a sentence', async () => {
    const env = { MONGO_URL: otherDatabase, DEV_MAILBOX: 'yes', NODE_ENV: 'development', PASSWORD_COST: '17' };
    const node = startNode({ env });
    expect(await node.exited).toBe(1);
    expect(node.output()).toMatch(/The database at MONGO_URL does not update a document atomically: .*Use MongoDB/);
  });
});
