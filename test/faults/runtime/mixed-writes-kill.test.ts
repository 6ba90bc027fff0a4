import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { CounterDocument } from '../../../models/billing/counter.ts';
import { type Client, clientOf } from '../../support/client.ts';
import { clockEnvironment, noonOfTenth } from '../../support/clock-environment.ts';
import { eventAbout } from '../../support/events.ts';
import { freePort } from '../../support/free-port.ts';
import type { Answer } from '../../support/http.ts';
import { runJob } from '../../support/operator.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { propertyCases } from '../../support/property-cases.ts';
import { storageOf } from '../../support/storage-client.ts';
import { createTenant, databaseUrlOf, type Tenant, withDatabase } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';
import { newVisitor, openSite, type Visitor } from '../../support/widget-client.ts';

const kills = propertyCases(3, 40);
/** Acknowledged writes between two kills. */
const writesPerKill = 60;
const minute = 60_000;
const dataDir = mkdtempSync(join(tmpdir(), 'mixed-kill-'));
const [port, storagePort] = [freePort(), freePort()];
let platform: Platform;
/** On `scale`; and one on `free`, which buys plans. */
let tenant: Tenant;
let buyer: Tenant;
let slug: string;
let templateId: string;

const begun = Date.now();
const startAhead = (milliseconds: number) =>
  startPlatform({
    dataDir,
    // With the service by which a test has a job run at once, where the platform waits for its next minute.
    entry: 'test/support/operated-platform.ts',
    env: {
      PORT: `${port}`,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      STORAGE_PORT: `${storagePort}`,
      STORAGE_URL: `http://127.0.0.1:${storagePort}`,
      ...clockEnvironment(noonOfTenth + milliseconds, begun),
    },
  });

const clientFor = ({ orgId, apiKey }: Tenant): Client => clientOf({ url: platform.url, orgId, apiKey });

beforeAll(async () => {
  platform = await startAhead(0);
  const databaseUrl = await databaseUrlOf(platform);
  tenant = await createTenant(databaseUrl, { plan: 'scale' });
  buyer = await createTenant(databaseUrl);
  const client = clientFor(tenant);
  slug = tenant.orgId.replace('_', '-');
  const body = { name: 'Order', subject: 'Order {{ number }}', text: 'It is on its way.' };
  const variables = [{ name: 'number', required: true, sample: '1' }];
  templateId = (await client.call('mail.templates.create', { body: { ...body, variables } })).id;
  await openSite(client);
});

afterAll(async () => {
  await platform?.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

/** `write` sends write `number` once and resolves with its id; the same number sends the same write again. */
type Kind = { maxWrites: number; write: (number: number) => Promise<string> };

/** The id in the answer; throws for any other status. */
function idOf<T>({ status, text, body }: Answer<T>, expected: number[], read: (body: T) => string): string {
  if (!expected.includes(status)) throw new Error(`It was answered ${status}: ${text}`);
  return read(body);
}

const keyed = (kind: string, number: number) => ({ 'Idempotency-Key': `${kind}-${number}` });
const sizeOf = (number: number): number => 100 + (number % 50) * 37;
const events = new Map<number, ReturnType<typeof eventAbout>>();
const visitors = new Map<number, Visitor>();

const kinds: Record<string, Kind> = {
  events: {
    maxWrites: 2000,
    async write(number) {
      const event =
        events.get(number) ?? eventAbout(tenant.orgId, `customer-${number % 20}`, { occurredAt: timeOf(number) });
      events.set(number, event);
      // 409: an earlier attempt was stored, and its answer lost.
      return idOf(
        await clientFor(tenant).attempt('context.events.create', { body: event }),
        [201, 409],
        () => event.eventId,
      );
    },
  },
  uploads: {
    maxWrites: 2000,
    async write(number) {
      const storage = await storageOf(clientFor(tenant));
      const key = `${number}.txt`;
      return idOf(await storage.put(tenant.orgId, key, 'x'.repeat(sizeOf(number))), [200], () => key);
    },
  },
  mails: {
    maxWrites: 2000,
    async write(number) {
      const body = { to: `to-${number}@example.com`, templateId, variables: { number: String(number) } };
      const answer = await clientFor(tenant).attempt('mail.messages.send', { body }, keyed('mail', number));
      return idOf(answer, [202], ({ messageId }) => messageId);
    },
  },
  invitations: {
    maxWrites: 60,
    async write(number) {
      const body = { email: `invited-${number}@example.com`, role: 'member' };
      const parts = { path: { slug }, body };
      const answer = await clientFor(tenant).attempt('identity.invitations.create', parts, keyed('invitation', number));
      return idOf(answer, [201], ({ id }) => id);
    },
  },
  roles: {
    maxWrites: 80,
    async write(number) {
      const body = { name: `Role ${number}`, permissions: ['mail.send'] };
      const answer = await clientFor(tenant).attempt('access.roles.create', { body }, keyed('role', number));
      return idOf(answer, [201], ({ id }) => id);
    },
  },
  checkouts: {
    maxWrites: 200,
    async write(number) {
      const plan = number % 2 === 0 ? 'pro' : 'scale';
      const url = `${platform.url}/plans`;
      const body = { plan, billingCycle: 'monthly', successUrl: url, cancelUrl: url };
      const parts = { path: { orgId: buyer.orgId }, body };
      const answer = await clientFor(buyer).attempt('billing.checkouts.open', parts, keyed('checkout', number));
      return idOf(answer, [201], ({ sessionId }) => sessionId);
    },
  },
  conversations: {
    maxWrites: 500,
    async write(number) {
      const visitor = visitors.get(number) ?? (await newVisitor({ url: platform.url, orgId: tenant.orgId }));
      visitors.set(number, visitor);
      const body = { text: `Question ${number}`, echoId: `echo-${number}` };
      const answer = await visitor.send<{ messageId: string }>('POST', '/v1/widget/messages', body);
      return idOf(answer, [200], ({ messageId }) => messageId);
    },
  },
};

const timeOf = (number: number): string => new Date(noonOfTenth - minute * (number + 1)).toISOString();

/** The acknowledged ids of a kind, by number. The numbers of a kind below `attempted` were sent at least once. */
const acknowledged = new Map(Object.keys(kinds).map((name) => [name, new Map<number, string>()]));
const attempted = new Map(Object.keys(kinds).map((name) => [name, 0]));
const acknowledgedCount = () => [...acknowledged.values()].reduce((sum, { size }) => sum + size, 0);

/** Writes one kind until `isOver`. The next run repeats the writes that were not acknowledged. */
async function writeUntil(name: string, isOver: () => boolean): Promise<void> {
  const { maxWrites, write } = kinds[name]!;
  const ids = acknowledged.get(name)!;
  for (let number = 0; number < maxWrites && !isOver(); number += 1) {
    if (ids.has(number)) continue;
    attempted.set(name, Math.max(attempted.get(name)!, number + 1));
    const id = await write(number).catch((error: Error) => error);
    if (typeof id === 'string') ids.set(number, id);
    // The process was killed, or a lease that it left behind has not expired: in both cases the write is repeated later.
    else if (!isTransient(id)) throw id;
  }
}

const isTransient = ({ message }: Error): boolean =>
  /ECONN|socket hang up|answered (?:409|503|429)|is open|aborted/.test(message);

/** Repeats every write that was sent and not acknowledged: it may be stored. */
async function completeAttempts(): Promise<void> {
  for (const [name, ids] of acknowledged) {
    for (let number = 0; number < attempted.get(name)!; number += 1) {
      if (!ids.has(number)) ids.set(number, await eventually(() => kinds[name]!.write(number), minute));
    }
  }
}

type Stored = { _id: string; orgId: string };

/** The ids of an organization's documents in a collection. */
const idsIn = async (collection: string, { orgId }: Tenant, filter: object = {}): Promise<string[]> =>
  withDatabase(await databaseUrlOf(platform), async (database) => {
    const found = await database
      .collection<Stored>(collection)
      .find({ orgId, ...filter }, { projection: { _id: 1 } })
      .toArray();
    return found.map(({ _id }) => _id).sort();
  });

const counterOf = async (meter: string) =>
  withDatabase(await databaseUrlOf(platform), async (database) => {
    const counters = database.collection<CounterDocument>('billing_counters');
    const found = await counters.findOne({ orgId: tenant.orgId, meter });
    return { used: found?.used, held: found?.held };
  });

const idsOf = (name: string): string[] => [...acknowledged.get(name)!.values()].sort();

test(`of mixed writes and ${kills} kills nothing acknowledged is lost, and every counter equals the stored work`, async () => {
  for (let kill = 1; kill <= kills; kill += 1) {
    const enough = acknowledgedCount() + writesPerKill;
    let killing: Promise<void> | undefined;
    await Promise.all(
      Object.keys(kinds).map((name) =>
        writeUntil(name, () => {
          if (acknowledgedCount() >= enough) killing ??= platform.kill();
          return killing !== undefined;
        }),
      ),
    );
    await killing;
    // After the last kill the leases of the dead processes have expired.
    platform = await startAhead(kill < kills ? 0 : 6 * minute);
  }
  for (const [name, { size }] of acknowledged)
    expect({ name, isEnough: size >= kills }).toEqual({ name, isEnough: true });
  await completeAttempts();

  expect(await idsIn('mail_messages', tenant, { templateId })).toEqual(idsOf('mails'));
  expect(await idsIn('identity_invitations', tenant)).toEqual(idsOf('invitations'));
  const roles = await clientFor(tenant).call('access.roles.list', { query: { limit: '100' } });
  expect(roles.data.map(({ id }) => id).sort()).toEqual(expect.arrayContaining(idsOf('roles')));
  expect(roles.data.filter(({ name }) => name.startsWith('Role '))).toHaveLength(idsOf('roles').length);
  expect(await idsIn('billing_checkouts', buyer)).toEqual([...new Set(idsOf('checkouts'))]);
  expect((await idsIn('billing_checkouts', buyer, { status: 'open' })).length).toBeLessThanOrEqual(1);
  for (const [number, id] of acknowledged.get('events')!) {
    const { status } = await clientFor(tenant).attempt('context.events.create', { body: events.get(number)! });
    expect({ id, status }).toEqual({ id, status: 409 });
  }
  const storage = await storageOf(clientFor(tenant));
  for (const [number, key] of acknowledged.get('uploads')!) {
    const { status, text } = await storage.get(tenant.orgId, key);
    expect({ key, status, size: text.length }).toEqual({ key, status: 200, size: sizeOf(number) });
  }
  const conversations = await idsIn('connect_conversations', tenant);
  expect(conversations).toHaveLength(idsOf('conversations').length);

  const bytes = [...acknowledged.get('uploads')!.keys()].reduce((sum, number) => sum + sizeOf(number), 0);
  const counters = {
    'context.eventsPerDay': idsOf('events').length,
    'mail.sendsPerMonth': idsOf('mails').length,
    'storage.storageGb': bytes,
  };
  for (const [meter, used] of Object.entries(counters)) {
    await eventually(async () => {
      await runJob(platform.url, 'billing.reservations');
      expect((await counterOf(meter)).held).toBe(0);
    }, 4 * minute);
    expect({ meter, ...(await counterOf(meter)) }).toEqual({ meter, used, held: 0 });
  }
}, 600_000);
