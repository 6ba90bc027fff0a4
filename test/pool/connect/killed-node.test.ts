import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Client, clientOf } from '../../support/client.ts';
import { type OwnDatabase, startOwnDatabase } from '../../support/own-database.ts';
import { type Pool, startPool } from '../../support/platform.ts';
import { createTenant } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';
import { askForSession, openSite, type Visitor, visitorOf } from '../../support/widget-client.ts';

/*
 * Two nodes, each with a gateway and connect, beside one with the other services, over NATS and one database that
 * outlives them. Both sides write and read by either gateway, and one of the two nodes is killed on the way.
 */

const messagesOfEach = 50;
let database: OwnDatabase;
let pool: Pool;
let visitors: Visitor[];
let agents: Client[];

beforeAll(async () => {
  database = await startOwnDatabase();
  pool = await startPool(
    [
      { services: ['gateway', 'connect'], env: { NODE_ID: 'one' } },
      { services: ['gateway', 'connect'], env: { NODE_ID: 'two' } },
      { services: ['identity', 'access', 'billing', 'context', 'mail'], env: { NODE_ID: 'others' } },
    ],
    { MONGO_URL: database.url },
  );
  const tenant = await createTenant(database.url, { plan: 'scale' });
  agents = pool.urls.map((url) => clientOf({ ...tenant, url }));
  await openSite(agents[0]!);
  const session = await askForSession(pool.urls[0]!, { tenantId: tenant.orgId });
  expect(session.status).toBe(200);
  visitors = pool.urls.map((url) => visitorOf(url, session.body));
}, 120_000);

afterAll(async () => {
  await pool.stop();
  await database.close();
});

type Seen = { seq: number; text: string };

/** Sends until it is acknowledged, by the other gateway after each failure, as a client does that lost an answer. */
function untilAcknowledged(send: (gateway: number) => Promise<{ status: number; body: unknown }>): Promise<Seen> {
  let gateway = Math.floor(Math.random() * 2);
  return eventually(async () => {
    gateway = 1 - gateway;
    const { status, body } = await send(gateway);
    if (status !== 200 && status !== 201) throw new Error(`It was answered ${status}: ${JSON.stringify(body)}`);
    const { seq, text } = body as Seen;
    return { seq, text };
  }, 60_000);
}

/** Reads after the last number again and again, by either gateway, until as many were read. */
async function readUntil(count: number, read: (gateway: number, after: number) => Promise<Seen[]>): Promise<Seen[]> {
  const seen: Seen[] = [];
  let gateway = 0;
  await eventually(async () => {
    gateway = 1 - gateway;
    seen.push(...(await read(gateway, seen.at(-1)?.seq ?? 0)));
    if (seen.length < count) throw new Error(`${seen.length} of ${count} messages were read.`);
  }, 120_000);
  return seen;
}

test(`${2 * messagesOfEach} messages in both directions survive the death of a node: none lost, none doubled, the order kept`, async () => {
  const { conversationId } = await visitors[0]!.say('visitor 0', 'v0');
  const path = { id: conversationId };
  const acknowledged: Seen[] = [];
  let killing: Promise<void> | null = null;

  const note = (seen: Seen): void => {
    acknowledged.push(seen);
    if (acknowledged.length === 30) killing = pool.nodes[1]!.kill();
  };
  const writeAll = async (side: 'visitor' | 'agent'): Promise<void> => {
    for (let at = 1; at <= messagesOfEach; at += 1) {
      const [text, echoId] = [`${side} ${at}`, `${side}-${at}`];
      const send = (gateway: number) =>
        side === 'visitor'
          ? visitors[gateway]!.send('POST', '/v1/widget/messages', { text, echoId })
          : agents[gateway]!.send('POST', `/v1/conversations/${conversationId}/messages`, { text, echoId });
      note(await untilAcknowledged(send));
    }
  };
  const total = 2 * messagesOfEach + 1;
  const [, , byAgent, byVisitor] = await Promise.all([
    writeAll('visitor'),
    writeAll('agent'),
    readUntil(total, async (gateway, after) => {
      const query = { after: `${after}`, limit: '200' };
      const { data } = await agents[gateway]!.call('connect.messages.list', { path, query });
      return data.map(({ seq, text }) => ({ seq, text }));
    }),
    readUntil(total, async (gateway, after) => {
      const answer = await visitors[gateway]!.send<{ data: Seen[] }>(
        'GET',
        `/v1/widget/messages?after=${after}&limit=200`,
      );
      if (answer.status !== 200) throw new Error(`Reading was answered ${answer.status}.`);
      return answer.body.data.map(({ seq, text }) => ({ seq, text }));
    }),
  ]);

  expect(killing).not.toBeNull();
  await killing;
  expect(byAgent.map(({ seq }) => seq)).toEqual(Array.from({ length: total }, (_none, at) => at + 1));
  expect(byVisitor).toEqual(byAgent);
  for (const side of ['visitor', 'agent']) {
    const theirs = byAgent.flatMap(({ text }) => (text.startsWith(side) ? [Number(text.split(' ')[1])] : []));
    const first = side === 'visitor' ? 0 : 1;
    expect(theirs).toEqual(Array.from({ length: messagesOfEach + 1 - first }, (_none, at) => at + first));
  }
  for (const seen of acknowledged) expect(byAgent[seen.seq - 1]).toEqual(seen);
}, 180_000);
